use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;

use super::*;

/// Whether a command succeeds; creating devices, for example, is not allowed everywhere.
fn succeeds(program: &str, args: &[&Path]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|done| done.status.success())
}

fn write(path: &Path, text: &str) -> Result<(), IoError> {
    write_atomically(path, |file| file.write_all(text.as_bytes()))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("summary.json");
    write(&path, "good").unwrap();
    let error = write_atomically(&path, |file| {
        file.write_all(b"ha")?;
        Err(io::Error::other("disk full"))
    })
    .unwrap_err();
    assert!(error.to_string().ends_with("summary.json: cannot be written: disk full"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "good");
    assert_eq!(names(dir.path()), ["summary.json"]);
}

#[test]
fn a_missing_directory_is_an_error_on_every_rank() {
    let results =
        Comm::simulate(3, |comm| write_collectively(&comm, Path::new("no/such/directory/file"), |_| Ok(())));
    for result in results {
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("no/such/directory/file: cannot be written: No such file"), "{message}");
    }
}

#[test]
fn ranks_write_one_temporary_file_that_is_there_before() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.h5");
    Comm::simulate(3, |comm| {
        write_collectively(&comm, &path, |temporary| {
            let mut file = File::options().append(true).open(temporary).unwrap();
            file.write_all(b"x").map_err(|e| IoError::write(&path, e))
        })
        .unwrap();
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), "xxx");
    assert_eq!(names(dir.path()), ["a.h5"]);
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced_beside_itself() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("far")).unwrap();
    write(&path("far/old"), "old").unwrap();
    symlink("far/old", path("link")).unwrap();
    symlink(path("link"), path("link to it")).unwrap();
    symlink("far/new", path("dangling")).unwrap();
    write_atomically(&path("link to it"), |file| {
        assert_eq!(names(&path("far")).len(), 2, "the temporary file lies there");
        file.write_all(b"replaced")
    })
    .unwrap();
    write(&path("dangling"), "made").unwrap();
    assert_eq!(fs::read_to_string(path("far/old")).unwrap(), "replaced");
    assert_eq!(fs::read_to_string(path("far/new")).unwrap(), "made");
    for name in ["link", "link to it", "dangling"] {
        assert!(fs::symlink_metadata(path(name)).unwrap().is_symlink(), "{name}");
    }
    assert_eq!(names(&path("far")), ["new", "old"]);
}

#[test]
fn links_in_a_circle_and_directories_are_refused_as_input() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    symlink("b", path("a")).unwrap();
    symlink("a", path("b")).unwrap();
    symlink(".", path("here")).unwrap();
    for (name, what) in [("a", "form a cycle"), (".", "this is a directory"), ("here", "this is a directory")]
    {
        let error = write(&path(name), "x").unwrap_err();
        assert!(error.is_input() && error.to_string().contains(what), "{error}");
    }
    assert_eq!(names(dir.path()), ["a", "b", "here"]);
}

#[test]
fn a_device_is_written_to_and_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("null");
    if !succeeds("mknod", &[&path, "c".as_ref(), "1".as_ref(), "3".as_ref()]) {
        println!("not checked: nobody may make devices here");
        return;
    }
    symlink("null", dir.path().join("link")).unwrap();
    write(&path, "text").unwrap();
    write(&dir.path().join("link"), "text").unwrap();
    let error = write_collectively(&Comm::single(), &path, |_| Ok(())).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("give a file name"), "{error}");
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_char_device());
    assert_eq!(names(dir.path()), ["link", "null"]);
}

#[test]
fn a_fifo_is_written_to_if_somebody_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifo");
    assert!(succeeds("mkfifo", &[&path]));
    let error = write(&path, "text").unwrap_err();
    assert!(error.is_input() && error.to_string().contains("this FIFO has no reader"), "{error}");

    // More than a FIFO holds, so that writing must wait for the reader.
    let text = "0123456789".repeat(100_000);
    let mut reader = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
    let read = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(&path, &text).unwrap());
        let (mut read, mut piece) = (Vec::<u8>::new(), [0; 4096]);
        loop {
            let all_is_written = writer.is_finished();
            match reader.read(&mut piece) {
                Ok(bytes @ 1..) => read.extend(&piece[..bytes]),
                _ if all_is_written => break,
                _ => std::thread::yield_now(),
            }
        }
        writer.join().unwrap();
        read
    });
    assert_eq!(read, text.as_bytes());
    assert_eq!(names(dir.path()), ["fifo"]);
}

#[test]
fn an_open_file_is_added_to_and_not_replaced() {
    use std::os::fd::AsRawFd;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut log = File::options().create_new(true).append(true).open(&path).unwrap();
    log.write_all(b"begun\n").unwrap();
    write(Path::new(&format!("/proc/self/fd/{}", log.as_raw_fd())), "picture\n").unwrap();
    log.write_all(b"done\n").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "begun\npicture\ndone\n");
}

#[test]
fn temporary_files_are_new_and_named_after_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let (path, elsewhere) = (dir.path().join("a.csv"), dir.path().join("elsewhere"));
    set_identity("0a1b-2c3d");
    fs::write(&elsewhere, "untouched").unwrap();
    symlink(&elsewhere, dir.path().join(".a.csv.0a1b-2c3d.part")).unwrap();
    fs::write(dir.path().join(".a.csv.0a1b-2c3d-1.part"), "of another rank").unwrap();
    write_atomically(&path, |file| {
        assert!(names(dir.path()).contains(&".a.csv.0a1b-2c3d-2.part".into()));
        file.write_all(b"text")
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched");
    let others = [".a.csv.0a1b-2c3d-1.part", ".a.csv.0a1b-2c3d.part", "a.csv", "elsewhere"];
    assert_eq!(names(dir.path()), others);
}
