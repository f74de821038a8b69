//! Components: in range, known to the compiler, and all of a Write parameter assigned on every path.
use cfd_engine::prelude::*;

#[kernel]
fn beyond_a_parameter(q: Read<2>, out: Write<1>) {
    out[0] = q[2];
}

#[kernel]
fn beyond_a_written_parameter(out: Write<1>) {
    out[0] = 0.0;
    out[1] = 0.0;
}

#[kernel]
fn beyond_a_local_array(out: Write<1>) {
    let a = [1.0, 2.0];
    out[0] = a[2];
}

#[kernel]
fn beyond_by_a_loop(q: Read<4>, res: Inc<4>) {
    for i in 0..4 {
        res[i] += q[i + 1];
    }
}

#[kernel]
fn below_by_a_loop(q: Read<4>, res: Inc<4>) {
    for i in 0..4 {
        res[i] += q[i - 1];
    }
}

#[kernel]
fn index_known_at_run_time(q: Read<4>, n: Read<1, i32>, res: Inc<1>) {
    res[0] += q[n];
    res[0] += q[n[0]];
}

#[kernel]
fn index_that_is_no_integer(q: Read<4>, res: Inc<1>) {
    res[0] += q[1.0];
    res[0] += q[-1];
    res[0] += q[j];
}

#[kernel]
fn index_of_a_number(q: Read<4>, res: Inc<1>) {
    let x = q[0];
    res[0] += x[0];
    res[0] += x[1];
    res[0] += q[0][1];
}

#[kernel]
fn loop_variable_as_a_value(res: Inc<4>) {
    for i in 0..4 {
        res[i] += 2.0 * i;
    }
}

#[kernel]
fn one_component_unassigned(out: Write<4>) {
    out[0] = 0.0;
    for i in 1..3 {
        out[i] = 1.0;
    }
}

#[kernel]
fn nothing_assigned(q: Read<1>, out: Write<2>) {
    let _x = q[0];
}

#[kernel]
fn assigned_in_one_branch(q: Read<1>, out: Write<2>) {
    out[0] = 0.0;
    if q[0] > 0.0 {
        out[1] = 1.0;
    }
}

#[kernel]
fn different_components_in_branches(q: Read<1>, out: Write<2>) {
    if q[0] > 0.0 {
        out[0] = 1.0;
    } else {
        out[1] = 1.0;
    }
}

#[kernel]
fn read_before_it_is_assigned(out: Write<2>) {
    out[0] = out[1];
    out[1] = 1.0;
}

#[kernel]
fn read_after_one_branch(q: Read<1>, out: Write<1>, res: Inc<1>) {
    if q[0] > 0.0 {
        out[0] = 1.0;
    }
    res[0] += out[0];
    out[0] = 2.0;
}

#[kernel]
fn read_whole_too_early(out: Write<2>) {
    out[0] = 1.0;
    let copy = out;
    out[1] = copy[0];
}

#[device]
fn ends(q: [f64; 3]) -> [f64; 2] {
    [q[0], q[2]]
}

#[kernel]
fn lengths_that_nothing_tells(q: Read<3>, res: Inc<2>) {
    let chosen = if q[0] > 0.0 { ends(q) } else { ends(q) };
    let mut changed = ends(q);
    let row = ends(q);
    changed[0] = 1.0;
    changed = ends(q);
    for m in 0..2 {
        res[m] += chosen[m] + changed[m] + row;
        res[m] += chosen[1 - m] * changed[1 - m];
    }
    res[0] += row[0];
}

#[kernel]
fn names_of_component_numbers(q: Read<3>, res: Inc<3>) {
    for i in 0..3 {
        let mut next = (i + 1) % 3;
        let last = (i + 2) % 3;
        let beyond = i + 1;
        let unknown: usize = q[i];
        res[i] += q[beyond] + last;
    }
}

fn main() {}
