//! Handles, typed or not, belong to the domain that gave them, and a name belongs to one thing.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use cfd_engine::layout::{Layout, LocalDat, LocalMap, LocalSet};
use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;

/// Three nodes with one value each, and two edges between them.
fn layout() -> Layout {
    let set = |name: &str, rows: usize| LocalSet {
        name: name.into(),
        global_rows: rows as u64,
        core: rows,
        owned: rows,
        global_ids: (0..rows as u64).collect(),
        ..LocalSet::default()
    };
    let ends = LocalMap { name: "ends".into(), from: 1, to: 0, arity: 2, indices: vec![0, 1, 1, 2] };
    let value = LocalDat { name: "value".into(), set: 0, dim: 1, values: Values::F64(vec![1.0, 2.0, 3.0]) };
    Layout { sets: vec![set("nodes", 3), set("edges", 2)], maps: vec![ends], dats: vec![value] }
}

struct Handles {
    nodes: Set,
    edges: Set,
    ends: Map<2>,
    value: Dat<1>,
    total: Global<Sum<1>>,
    highest: Global<Max<1>>,
}

fn domain() -> (Domain, Handles) {
    let mut domain = Domain::new(Comm::single(), layout(), DomainOptions::default());
    let handles = Handles {
        nodes: domain.set("nodes").expect("a set"),
        edges: domain.set("edges").expect("a set"),
        ends: domain.map("ends").expect("a map"),
        value: domain.dat("value").expect("a dat"),
        total: domain.new_sum("total"),
        highest: domain.new_max("highest"),
    };
    (domain, handles)
}

#[kernel]
fn add_up(value: Read<1>, total: Sum<1>) {
    total[0] += value[0];
}

thread_local! {
    /// The file blamed by this thread's last panic.
    static BLAMED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The message of the panic that ends a call; it blames the place of the call.
fn refusal<R>(call: impl FnOnce() -> R) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| {
            let file = info.location().map_or(String::new(), |place| place.file().into());
            BLAMED.set(file);
            others(info);
        }));
    });
    let panic = catch_unwind(AssertUnwindSafe(call)).err().expect("the call is refused");
    let blamed = BLAMED.take();
    assert!(blamed.ends_with("handles.rs"), "{blamed} is blamed, not the caller");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().expect("a message").to_string(),
    }
}

/// One call with handles of another domain.
type Call = fn(&mut Domain, Handles);

#[test]
fn a_handle_of_another_domain_is_refused_by_every_call() {
    let calls: [(&str, Call); 16] = [
        ("dat", |domain, of| _ = domain.read(of.value).unwrap()),
        ("dat", |domain, of| domain.write(of.value, &[0.0; 3])),
        ("dat", |domain, of| _ = domain.element(of.value, 0).unwrap()),
        ("set", |domain, of| _ = domain.new_dat::<1, f64>(of.nodes, "new")),
        ("set", |domain, of| _ = domain.new_transient::<1, f64>(of.nodes, "new")),
        ("set", |domain, of| _ = domain.global_ids(of.nodes)),
        ("set", |domain, of| _ = domain.rows(of.nodes)),
        ("map", |domain, of| _ = domain.target_ids(of.ends)),
        ("dat", |domain, of| _ = AnyDat::from(of.value).read(domain).unwrap()),
        ("dat", |domain, of| _ = AnyDat::from(of.value).read_f64(domain).unwrap()),
        ("dat", |domain, of| AnyDat::from(of.value).write(domain, &Values::F64(vec![0.0; 3]))),
        ("dat", |domain, of| AnyDat::from(of.value).write_f64(domain, &[0.0; 3])),
        ("map", |domain, of| _ = domain.any_target_ids(of.ends.into())),
        ("global", |domain, of| _ = domain.get(of.total).unwrap()),
        ("global", |domain, of| _ = domain.extremum(of.highest).unwrap()),
        ("set", |domain, of| domain.par_loop(add_up, of.nodes, (of.value, of.total), &())),
    ];
    let (mut domain, _) = domain();
    for (i, (kind, call)) in calls.into_iter().enumerate() {
        let message = refusal(|| call(&mut domain, self::domain().1));
        assert!(message.contains(&format!("the {kind} belongs to another domain")), "call {i}: {message}");
    }
}

#[test]
fn a_loop_names_the_argument_that_belongs_to_another_domain() {
    let (mut domain, own) = domain();
    let (_, other) = self::domain();
    let message = refusal(|| domain.par_loop(add_up, own.nodes, (other.value, own.total), &()));
    assert_eq!(message, "par_loop \"add_up\", argument 0 (value): the dat belongs to another domain");
    let message = refusal(|| domain.par_loop(add_up, own.nodes, (own.value, other.total), &()));
    assert_eq!(message, "par_loop \"add_up\", argument 1 (total): the global belongs to another domain");
    let end = other.ends.target::<0>();
    let message = refusal(|| domain.par_loop(add_up, own.edges, (own.value.at(end), own.total), &()));
    assert_eq!(message, "par_loop \"add_up\", argument 0 (value): the map belongs to another domain");
    // Nothing that was refused has been recorded.
    domain.par_loop(add_up, own.edges, (own.value.at(own.ends.target::<1>()), own.total), &());
    assert_eq!(domain.get(own.total).unwrap(), [5.0]);
}

#[test]
fn a_second_set_map_or_dat_of_one_name_is_refused() {
    let fails = |spoil: fn(&mut Layout)| {
        let mut layout = layout();
        spoil(&mut layout);
        refusal(|| Domain::new(Comm::single(), layout, DomainOptions::default()))
    };
    assert_eq!(fails(|l| l.sets[1].name = "nodes".into()), "there is already a set \"nodes\"");
    assert_eq!(fails(|l| l.maps.push(l.maps[0].clone())), "there is already a map \"ends\"");
    assert_eq!(fails(|l| l.dats.push(l.dats[0].clone())), "there is already a dat \"value\"");

    let (mut domain, own) = domain();
    let message = refusal(|| domain.new_dat::<2, f64>(own.edges, "value"));
    assert_eq!(message, "there is already a dat \"value\"");

    let mut mesh = Mesh::default();
    mesh.add_set("nodes", 0);
    mesh.add_map("ends", 0, 0, 2, Vec::new());
    mesh.add_dat("value", 0, 1, Values::F64(Vec::new()));
    let message = refusal(|| mesh.add_set("nodes", 0));
    assert_eq!(message, "there is already a set \"nodes\"");
    let message = refusal(|| mesh.add_map("ends", 0, 0, 2, Vec::new()));
    assert_eq!(message, "there is already a map \"ends\"");
    let message = refusal(|| mesh.add_dat("value", 0, 1, Values::F64(Vec::new())));
    assert_eq!(message, "there is already a dat \"value\"");
}

/// Bit patterns that a comparison of numbers might miss: a sign of zero, a NaN with a payload.
const BITS: [u64; 7] = [
    0,
    1 << 63,
    0x7ff8_0000_0000_cafe,
    0x3ff0_0000_0000_0000,
    1,
    0x7fef_ffff_ffff_ffff,
    0xc000_0000_0000_0000,
];

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn check_erased<const D: usize>() {
    let (mut domain, own) = domain();
    let dat: Dat<D> = domain.new_dat(own.nodes, "wide");
    let any = domain.any_dat("wide").expect("a dat");
    assert_eq!((any, any.dim(), any.set()), (dat.into(), D, own.nodes));
    assert_eq!(any.element_type(), ElementType::F64);

    let values: Vec<f64> = (0..3 * D).map(|i| f64::from_bits(BITS[i % BITS.len()])).collect();
    any.write(&mut domain, &Values::F64(values.clone()));
    assert_eq!(bits(&domain.read(dat).unwrap()), bits(&values));
    let Values::F64(read) = any.read(&mut domain).unwrap() else { panic!("double precision") };
    assert_eq!((bits(&read), bits(&any.read_f64(&mut domain).unwrap())), (bits(&values), bits(&values)));

    let turned: Vec<f64> = values.iter().rev().copied().collect();
    any.write_f64(&mut domain, &turned);
    assert_eq!(bits(&domain.read(dat).unwrap()), bits(&turned));
}

#[test]
fn a_dat_of_any_dimension_has_the_same_bits_by_either_handle() {
    check_erased::<1>();
    check_erased::<3>();
    check_erased::<7>();
    check_erased::<30>();
}

#[test]
fn integers_are_read_and_written_as_they_are_or_as_the_f64_they_are() {
    let (mut domain, own) = domain();
    let group: Dat<2, i32> = domain.new_dat(own.edges, "group");
    let any = domain.any_dat("group").expect("a dat");
    assert_eq!((any, any.element_type(), any.dim()), (group.into(), ElementType::I32, 2));

    let values = [i32::MIN, -1, 0, i32::MAX];
    any.write(&mut domain, &Values::I32(values.to_vec()));
    assert_eq!(domain.read(group).unwrap(), values);
    assert_eq!(any.read(&mut domain).unwrap(), Values::I32(values.to_vec()));
    let exactly = any.read_f64(&mut domain).unwrap();
    assert_eq!(exactly, [-2_147_483_648.0, -1.0, 0.0, 2_147_483_647.0]);
    domain.write(group, &[0; 4]);
    any.write_f64(&mut domain, &exactly);
    assert_eq!(domain.read(group).unwrap(), values);

    for (value, text) in [(0.5, "0.5"), (2_147_483_648.0, "2147483648"), (f64::NAN, "NaN")] {
        let message = refusal(|| any.write_f64(&mut domain, &[0.0, value, 0.0, 0.0]));
        assert_eq!(message, format!("\"group\" holds i32, and {text} is none"));
    }
    assert_eq!(domain.read(group).unwrap(), values, "what was refused has changed nothing");
}

#[test]
fn values_of_another_type_or_number_are_refused() {
    let (mut domain, own) = domain();
    let _: Dat<1, i32> = domain.new_dat(own.nodes, "group");
    let [value, group] = ["value", "group"].map(|name| domain.any_dat(name).expect("a dat"));
    let message = refusal(|| value.write(&mut domain, &Values::I32(vec![0; 3])));
    assert_eq!(message, "\"value\" holds f64, not i32");
    let message = refusal(|| group.write(&mut domain, &Values::F64(vec![0.0; 3])));
    assert_eq!(message, "\"group\" holds i32, not f64");
    for length in [2, 4] {
        let message = refusal(|| value.write_f64(&mut domain, &vec![0.0; length]));
        assert!(message.contains("values for the owned rows of \"value\""), "{message}");
    }
    assert_eq!(value.read_f64(&mut domain).unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn an_erased_handle_runs_what_was_recorded_before_it_writes() {
    let (mut domain, own) = domain();
    let value: AnyDat = own.value.into();
    domain.par_loop(add_up, own.nodes, (own.value, own.total), &());
    value.write_f64(&mut domain, &[10.0, 20.0, 40.0]);
    assert_eq!(domain.get(own.total).unwrap(), [6.0], "the loop was recorded before the values changed");
    domain.par_loop(add_up, own.edges, (own.value.at(own.ends.target::<1>()), own.total), &());
    assert_eq!(domain.get(own.total).unwrap(), [60.0]);
}

#[test]
fn a_map_of_any_arity_has_the_same_targets_by_either_handle() {
    let mut layout = layout();
    let triples =
        LocalMap { name: "triples".into(), from: 1, to: 0, arity: 3, indices: vec![2, 0, 1, 1, 1, 2] };
    layout.sets[0].global_ids = vec![7, 0, 4];
    layout.sets[0].global_rows = 9;
    layout.maps.push(triples);
    let domain = Domain::new(Comm::single(), layout, DomainOptions::default());
    let (nodes, edges) = (domain.set("nodes").expect("a set"), domain.set("edges").expect("a set"));

    let (ends, any): (Map<2>, _) =
        (domain.map("ends").expect("a map"), domain.any_map("ends").expect("a map"));
    assert_eq!((any, any.arity(), any.from(), any.to()), (ends.into(), 2, edges, nodes));
    assert_eq!(domain.any_target_ids(any), domain.target_ids(ends).concat());
    let any = domain.any_map("triples").expect("a map");
    assert_eq!((any.arity(), domain.any_target_ids(any)), (3, vec![4, 7, 0, 0, 0, 4]));
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
    let (domain, _) = domain();
    let error = domain.any_dat("values").unwrap_err().to_string();
    assert_eq!(error, "the mesh has no dat \"values\"; it has value");
    let error = domain.any_map("end").unwrap_err().to_string();
    assert_eq!(error, "the mesh has no map \"end\"; it has ends");
}
