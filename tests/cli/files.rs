//! Names that are not regular files: devices, FIFOs, links and directories, and files without an end, read and written.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;

use cfd_engine::comm::Comm;

use crate::launch::{Place, Ranks, ways};

/// A folder with a mesh, a configuration that uses it, a run of it, and endless files.
fn place() -> Place {
    let place = Place::new();
    let mesh = cfd_mesh::generate::naca0012::cells(&Comm::single(), 4, 3, Some(6)).expect("a small mesh");
    cfd_io::write_mesh(&Comm::single(), &mesh, &cfd_mesh::CELL_EDGES, &place.path("mesh.dat"))
        .expect("a mesh file");
    place.write(
        "c.toml",
        "case = \"airfoil\"\nmesh.file = \"mesh.dat\"\nairfoil.iterations = 2\noutput.checkpoint_every = 2\n",
    );
    place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
    assert!(Command::new("mkfifo").arg(place.path("fifo")).status().expect("mkfifo").success());
    symlink("fifo", place.path("link")).expect("a link");
    // It takes no room on the disk.
    place.write("sparse", "");
    sparse(&place, "sparse");
    place
}

/// Makes a file 20 GB long by appending zeros.
fn sparse(place: &Place, name: &str) {
    let file = std::fs::File::options().append(true).open(place.path(name)).expect("a file");
    file.set_len(20 << 30).expect("a file system with sparse files");
}

/// Where the program reads a file named by the user.
const READ: [&[&str]; 14] = [
    &["--config", "FILE"],
    &["--config", "c.toml", "--verify", "FILE"],
    &["--config", "c.toml", "--restart", "FILE"],
    &["--config", "c.toml", "--partitioner", "file:FILE"],
    &["--config", "c.toml", "--set", "mesh.file=FILE"],
    &["mesh", "info", "FILE"],
    &["mesh", "convert", "FILE", "new.h5"],
    &["partition", "--mesh", "FILE", "--parts", "2"],
    &["compare", "FILE", "out/history.csv"],
    &["compare", "out/solution.h5", "FILE"],
    &["compare", "FILE", "FILE"],
    &["plot", "FILE", "-o", "new.svg"],
    &["plot", "--scaling", "new.csv", "FILE", "-o", "new.svg"],
    &["repro", "--config", "FILE", "--ranks", "1"],
];

fn naming(args: &[&str], file: &str) -> Vec<String> {
    args.iter().map(|arg| arg.replace("FILE", file)).collect()
}

#[test]
fn what_is_no_regular_file_is_refused_by_its_kind_wherever_it_is_read() {
    let place = place();
    // A link to a FIFO is one wherever a FIFO is: the two take turns.
    for (args, fifo) in READ.into_iter().zip(["fifo", "link"].into_iter().cycle()) {
        for (file, kind) in [(fifo, "a FIFO"), ("/dev/zero", "a character device")] {
            let args = naming(args, file);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let words = ["this is not a regular file but ", kind, "; expected"];
            place.run(Ranks::Alone, &args).refused(2, &words);
        }
    }
    // All ranks look at these.
    for args in [READ[2], READ[3], READ[4]] {
        let args = naming(args, "fifo");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        for ranks in ways() {
            place.run(ranks, &args).refused(2, &["a FIFO"]);
        }
    }
    assert!(!place.path("new.svg").exists() && !place.path("new.csv").exists());
}

#[test]
fn a_file_of_zeros_that_has_no_end_is_refused_at_once_wherever_it_is_read() {
    let place = place();
    for args in READ {
        let args = naming(args, "sparse");
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        place.run(Ranks::Alone, &args).refused(2, &["sparse"]);
    }
}

#[test]
fn a_good_beginning_makes_no_good_file_of_zeros() {
    let place = place();
    std::fs::copy(place.path("out/history.csv"), place.path("history")).expect("a copy");
    place.run(Ranks::Alone, &["mesh", "convert", "mesh.dat", "mesh.h5"]).succeeded();
    place.write("mesh.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    place.write("mesh.su2", "NDIME= 2\n");
    place.write("input.dat", "num_levels = 1\n");
    place.write("parts.txt", "0\n".repeat(36));
    for name in ["history", "mesh.dat", "mesh.msh", "mesh.su2", "input.dat", "parts.txt"] {
        sparse(&place, name);
    }
    let place_of = |args: &[&str], words: &[&str]| place.run(Ranks::Alone, args).refused(2, words);
    place_of(
        &["compare", "history", "out/history.csv"],
        &["history:4:1: the line is longer than 65536 bytes"],
    );
    place_of(&["plot", "history", "-o", "new.svg"], &["history:4:1: the line is longer than 65536 bytes"]);
    for name in ["mesh.dat", "mesh.msh", "mesh.su2", "input.dat"] {
        place_of(&["mesh", "info", name], &[name, "too long for"]);
    }
    let parts = ["--config", "c.toml", "--set", "mesh.file=mesh.h5", "--partitioner", "file:parts.txt"];
    place_of(&parts, &["parts.txt: its 21474836480 bytes are too many for 36 part numbers"]);
}

#[test]
fn a_link_to_a_good_file_is_as_good_as_the_file() {
    let place = place();
    for (file, link) in [("c.toml", "c"), ("mesh.dat", "mesh"), ("out/summary.json", "summary")] {
        symlink(file, place.path(link)).expect("a link");
    }
    let args = ["--config", "c", "--set", "mesh.file=mesh", "--verify", "summary", "--out", "again"];
    place.run(Ranks::Alone, &args).succeeded();
}

/// What the program writes where the user said; `TEXT` if any writable target will do.
const WRITTEN: [&[&str]; 6] = [
    &["plot", "out", "-o", "TEXT"],
    &["plot", "--scaling", "TEXT", "out", "-o", "TEXT"],
    &["compare", "out", "out", "--plot", "TEXT"],
    &["compare", "out", "out", "--growth", "TEXT"],
    &["mesh", "generate", "airfoil", "--size", "4,3", "--format", "op2-text", "-o", "TEXT"],
    &["mesh", "convert", "mesh.dat", "--format", "op2-text", "TEXT"],
];

fn written(place: &Place, to: &str) -> Vec<crate::launch::Ended> {
    WRITTEN
        .iter()
        .map(|args| {
            let args: Vec<&str> = args.iter().map(|&arg| if arg == "TEXT" { to } else { arg }).collect();
            place.run(Ranks::Alone, &args)
        })
        .collect()
}

#[test]
fn a_device_is_written_to_and_never_replaced() {
    let place = place();
    for (name, minor) in [("null", "3"), ("full", "7")] {
        let made = Command::new("mknod").arg(place.path(name)).args(["c", "1", minor]).output();
        let open = || std::fs::File::options().write(true).open(place.path(name)).is_ok();
        if !made.is_ok_and(|made| made.status.success()) || !open() {
            println!("not checked: nobody may make devices here");
            return;
        }
    }
    for ended in written(&place, "null") {
        ended.succeeded();
    }
    for ended in written(&place, "full") {
        ended.refused(1, &["full: cannot be written: No space left on device"]);
    }
    let hdf5 = ["mesh", "convert", "mesh.dat", "--format", "h5", "null"];
    for ranks in ways() {
        place.run(ranks, &hdf5).refused(2, &["null: HDF5 cannot be written to a device"]);
    }
    // Nor are the files of a run and the manual.
    for name in ["history.csv", "cp.svg", "solution.h5"] {
        std::fs::remove_file(place.path("out").join(name)).expect("a file of the run");
        symlink("../null", place.path("out").join(name)).expect("a link");
    }
    place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, &["out/solution.h5: HDF5 cannot be written"]);
    std::fs::create_dir(place.path("man")).expect("a folder");
    symlink("../null", place.path("man/cfd.1")).expect("a link");
    place.run(Ranks::Alone, &["man", "man"]).succeeded();
    for name in ["null", "full"] {
        let found = std::fs::symlink_metadata(place.path(name)).expect("a device");
        assert!(found.file_type().is_char_device(), "{name}");
    }
    for name in ["out/history.csv", "man/cfd.1"] {
        assert!(std::fs::symlink_metadata(place.path(name)).expect("a link").is_symlink(), "{name}");
    }
}

#[test]
fn a_fifo_that_nobody_reads_is_refused_and_one_that_is_read_gets_the_text() {
    let place = place();
    for ended in written(&place, "fifo") {
        ended.refused(2, &["fifo: this FIFO has no reader"]);
    }
    let ended = place.script("cat fifo > picture & until $CFD plot out -o fifo; do sleep 0.01; done; wait");
    assert_eq!(ended.code, 0, "{ended:#?}");
    assert!(place.read("picture").trim_end().ends_with("</svg>"));
    assert!(std::fs::symlink_metadata(place.path("fifo")).expect("a FIFO").file_type().is_fifo());
}

#[test]
fn a_picture_can_go_to_stdout_whatever_that_is() {
    let place = place();
    // Like /dev/stdout, which no program may replace: it would be gone for everyone.
    symlink("/proc/self/fd/1", place.path("stdout")).expect("a link");
    for script in
        ["$CFD plot out -o stdout | cat", "echo begun > log; $CFD plot out -o stdout >> log; cat log"]
    {
        let ended = place.script(script).succeeded();
        assert!(ended.stdout.trim_end().ends_with("</svg>"), "{ended:#?}");
        assert_eq!(script.contains("log"), ended.stdout.starts_with("begun\n<svg"), "{ended:#?}");
    }
    assert!(std::fs::symlink_metadata(place.path("stdout")).expect("a link").is_symlink());
}

#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let place = place();
    std::fs::create_dir(place.path("far")).expect("a folder");
    place.write("far/old", "old");
    for (link, to) in [("to-old", "far/old"), ("to-new.h5", "far/new.h5"), ("loop", "loop")] {
        symlink(to, place.path(link)).expect("a link");
    }
    place.run(Ranks::Alone, &["plot", "out", "-o", "to-old"]).succeeded();
    assert!(place.read("far/old").starts_with("<svg"));
    for ranks in ways() {
        place.run(ranks, &["mesh", "convert", "mesh.dat", "to-new.h5"]).succeeded();
        place.run(ranks, &["mesh", "info", "far/new.h5"]).succeeded();
        std::fs::remove_file(place.path("far/new.h5")).expect("the mesh");
    }
    for link in ["to-old", "to-new.h5", "loop"] {
        assert!(std::fs::symlink_metadata(place.path(link)).expect("a link").is_symlink(), "{link}");
    }
    place
        .run(Ranks::Alone, &["plot", "out", "-o", "loop"])
        .refused(2, &["loop: symbolic links form a cycle"]);
}
