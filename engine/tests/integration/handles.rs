//! Handles belong to the domain that gave them, and a name belongs to one thing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cfd_engine::layout::{Layout, LocalDat, LocalMap, LocalSet};
use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;

/// Three nodes with a value each, and two edges between them.
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

/// The message of the panic that a call ends with.
fn refusal<R>(call: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).err().expect("the call is refused");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().expect("a message").to_string(),
    }
}

/// One call with handles of another domain.
type Call = fn(&mut Domain, Handles);

#[test]
fn a_handle_of_another_domain_is_refused_by_every_call() {
    let calls: [(&str, Call); 11] = [
        ("dat", |domain, of| _ = domain.read(of.value)),
        ("dat", |domain, of| domain.write(of.value, &[0.0; 3])),
        ("dat", |domain, of| _ = domain.element(of.value, 0)),
        ("set", |domain, of| _ = domain.new_dat::<1, f64>(of.nodes, "new")),
        ("set", |domain, of| _ = domain.new_transient::<1, f64>(of.nodes, "new")),
        ("set", |domain, of| _ = domain.global_ids(of.nodes)),
        ("set", |domain, of| _ = domain.rows(of.nodes)),
        ("map", |domain, of| _ = domain.target_ids(of.ends)),
        ("global", |domain, of| _ = domain.get(of.total)),
        ("global", |domain, of| _ = domain.extremum(of.highest)),
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
    // Nothing of what was refused has been recorded.
    domain.par_loop(add_up, own.edges, (own.value.at(own.ends.target::<1>()), own.total), &());
    assert_eq!(domain.get(own.total), [5.0]);
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
