//! The loops of a cycle, in order, with their operands.

use cfd_engine::prelude::*;

use super::Regions;
use super::kernels::motion::Interval;
use super::kernels::output::middle;
use super::kernels::{force, kinematics, limits, material, motion, set_up, viscosity};

/// Sets, maps and dats of a run.
pub(super) struct Loops {
    nodes: Set,
    pub elems: Set,
    corners: Map<8>,
    beyond: Map<6>,
    regions: Vec<Region>,
    // On nodes.
    pub x: Dat<3>,
    pub u: Dat<3>,
    held: Dat<3, i32>,
    mass: Dat<1>,
    force: Dat<3>,
    a: Dat<3>,
    // On elements.
    sides: Dat<6, i32>,
    /// The initial volume, which is the mass, too.
    pub volo: Dat<1>,
    pub v: Dat<1>,
    pub e: Dat<1>,
    pub p: Dat<1>,
    pub q: Dat<1>,
    pub ss: Dat<1>,
    passing: Passing,
    /// Results of a cycle.
    pub lowest_determinant: Global<Min<1>>,
    pub lowest_before: Global<Min<1>>,
    pub lowest_after: Global<Min<1>>,
    pub highest_q: Global<Max<1>>,
    pub courant: Global<Min<1>>,
    pub hydro: Global<Min<1>>,
}

/// Values that elements carry from one loop to a later one of the same cycle.
#[derive(Clone, Copy)]
struct Passing {
    sigma: Dat<1>,
    determ: Dat<1>,
    volume: Dat<1>,
    dv: Dat<24>,
    vnew: Dat<1>,
    delv: Dat<1>,
    length: Dat<1>,
    d: Dat<3>,
    vdov: Dat<1>,
    delx: Dat<3>,
    differences: [Dat<1>; 3],
    qq: Dat<1>,
    ql: Dat<1>,
    after: Dat<1>,
    half: Dat<1>,
}

/// Elements whose equation of state is evaluated more than once.
#[derive(Clone, Copy)]
struct Region {
    set: Set,
    elements: Map<1>,
    /// Evaluations in addition to the one that counts.
    more: u64,
    again: Dat<3>,
}

impl Passing {
    fn new(domain: &mut Domain, elems: Set) -> Passing {
        let mut one = |name: &str| domain.new_transient::<1, f64>(elems, name);
        let [sigma, determ, volume] = ["sigma", "determ", "volume"].map(&mut one);
        let [vnew, delv, length, vdov] = ["vnew", "delv", "length", "vdov"].map(&mut one);
        let differences = ["delv_xi", "delv_eta", "delv_zeta"].map(&mut one);
        let [qq, ql, after, half] = ["qq", "ql", "compression", "half_compression"].map(one);
        let dv = domain.new_transient(elems, "volume_derivatives");
        let [d, delx] = ["velocity_gradient", "delx"].map(|name| domain.new_transient(elems, name));
        Passing {
            sigma,
            determ,
            volume,
            dv,
            vnew,
            delv,
            length,
            d,
            vdov,
            delx,
            differences,
            qq,
            ql,
            after,
            half,
        }
    }
}

impl Region {
    /// The regions of a run that are evaluated more than once.
    fn all(domain: &mut Domain, elems: Set, regions: Regions) -> Vec<Region> {
        let costly = (0..regions.count).filter(|&region| regions.evaluations(region) > 1);
        let make = |number: u64| {
            let name = format!("region_{number}");
            let (set, elements) = domain.new_subset(elems, &name, |id| regions.of(id) == number);
            let again = domain.new_dat(set, &format!("{name}_again"));
            Region { set, elements, more: regions.evaluations(number) - 1, again }
        };
        costly.map(make).collect()
    }
}

impl Loops {
    /// The sets, maps and dats of a domain, and the run's own.
    pub fn new(domain: &mut Domain, regions: Regions) -> Result<Loops, DomainError> {
        let (nodes, elems) = (domain.set("nodes")?, domain.set("elems")?);
        let (corners, beyond) = (domain.map("elem_nodes")?, domain.map("elem_elem")?);
        let (x, held, sides) = (domain.dat("x")?, domain.dat("node_symmetry")?, domain.dat("elem_sides")?);
        let regions = Region::all(domain, elems, regions);
        let passing = Passing::new(domain, elems);
        let mut of_elems = |name: &str| domain.new_dat::<1, f64>(elems, name);
        let [volo, v, e, p, q, ss] = ["volo", "v", "e", "p", "q", "ss"].map(&mut of_elems);
        Ok(Loops {
            nodes,
            elems,
            corners,
            beyond,
            regions,
            x,
            u: domain.new_dat(nodes, "u"),
            held,
            mass: domain.new_dat(nodes, "nodal_mass"),
            force: domain.new_transient(nodes, "force"),
            a: domain.new_transient(nodes, "acceleration"),
            sides,
            volo,
            v,
            e,
            p,
            q,
            ss,
            passing,
            lowest_determinant: domain.new_min("lowest determinant"),
            lowest_before: domain.new_min("lowest volume before"),
            lowest_after: domain.new_min("lowest volume after"),
            highest_q: domain.new_max("highest viscosity"),
            courant: domain.new_min("courant limit"),
            hydro: domain.new_min("hydro limit"),
        })
    }

    /// Records the loops that compute volumes and masses and set a gas at rest.
    pub fn record_start(&self, domain: &mut Domain) {
        let Loops { nodes, elems, corners, x, u, mass, volo, v, e, p, q, ss, .. } = *self;
        domain.par_loop(set_up::initial_volume, elems, (x.all(corners), volo, mass.all(corners)), &());
        domain.par_loop(set_up::initial_state, elems, (v, e, p, q, ss), &());
        domain.par_loop(set_up::at_rest, nodes, (u,), &());
    }

    /// Records the loops of a cycle whose step has this length.
    pub fn record_cycle(&self, domain: &mut Domain, dt: f64) {
        let interval = Interval { dt };
        self.record_forces(domain);
        self.record_motion(domain, &interval);
        self.record_kinematics(domain, &interval);
        self.record_viscosity(domain);
        self.record_material(domain);
        let Loops { elems, ss, courant, hydro, .. } = *self;
        let Passing { length, vdov, .. } = self.passing;
        domain.par_loop(limits::courant_limit, elems, (ss, length, vdov, courant), &());
        domain.par_loop(limits::hydro_limit, elems, (vdov, hydro), &());
    }

    /// Loops 1 to 6.
    fn record_forces(&self, domain: &mut Domain) {
        let Loops { nodes, elems, corners, x, u, force, volo, v, p, q, ss, .. } = *self;
        let Passing { sigma, determ, volume, dv, .. } = self.passing;
        let (x, u, forces) = (x.all(corners), u.all(corners), force.all(corners));
        domain.par_loop(force::clear_force, nodes, (force,), &());
        domain.par_loop(force::stress, elems, (p, q, sigma), &());
        domain.par_loop(force::integrate_stress, elems, (x, sigma, determ, forces), &());
        domain.par_loop(force::check_determinant, elems, (determ, self.lowest_determinant), &());
        let operands = (x, volo, v, volume, dv, self.lowest_before);
        domain.par_loop(force::volume_derivatives, elems, operands, &());
        domain.par_loop(force::hourglass, elems, (x, u, dv, volume, ss, volo, forces), &());
    }

    /// Loops 7 to 10.
    fn record_motion(&self, domain: &mut Domain, interval: &Interval) {
        let Loops { nodes, x, u, held, mass, force, a, .. } = *self;
        domain.par_loop(motion::acceleration, nodes, (force, mass, a), &());
        domain.par_loop(motion::symmetry, nodes, (held, a), &());
        domain.par_loop(motion::velocity, nodes, (a, u), interval);
        domain.par_loop(motion::position, nodes, (u, x), interval);
    }

    /// Loops 11 and 12.
    fn record_kinematics(&self, domain: &mut Domain, interval: &Interval) {
        let Loops { elems, corners, x, u, volo, v, .. } = *self;
        let Passing { vnew, delv, length, d, vdov, .. } = self.passing;
        let operands = (x.all(corners), u.all(corners), volo, v, vnew, delv, length, d);
        domain.par_loop(kinematics::kinematics, elems, operands, interval);
        domain.par_loop(kinematics::strain, elems, (d, vnew, vdov, self.lowest_after), &());
    }

    /// Loops 13 to 15.
    fn record_viscosity(&self, domain: &mut Domain) {
        let Loops { elems, corners, beyond, x, u, sides, volo, q, .. } = *self;
        let Passing { vnew, vdov, delx, differences: [xi, eta, zeta], qq, ql, .. } = self.passing;
        let operands = (x.all(corners), u.all(corners), volo, vnew, delx, xi, eta, zeta);
        domain.par_loop(viscosity::viscosity_gradients, elems, operands, &());
        let operands = (
            xi,
            eta,
            zeta,
            xi.at(beyond.target::<0>()),
            xi.at(beyond.target::<1>()),
            eta.at(beyond.target::<2>()),
            eta.at(beyond.target::<3>()),
            zeta.at(beyond.target::<4>()),
            zeta.at(beyond.target::<5>()),
            sides,
            delx,
            vdov,
            volo,
            volo,
            vnew,
            qq,
            ql,
        );
        domain.par_loop(viscosity::monotonic_viscosity, elems, operands, &());
        domain.par_loop(viscosity::check_viscosity, elems, (q, self.highest_q), &());
    }

    /// Loops 16 to 19; before them, the extra evaluations of 16 and 17 in the costly regions.
    fn record_material(&self, domain: &mut Domain) {
        let Loops { elems, v, e, p, q, ss, .. } = *self;
        let Passing { vnew, delv, qq, ql, after, half, .. } = self.passing;
        for Region { set, elements, more, again } in &self.regions {
            let at = elements.target::<0>();
            let operands =
                (vnew.at(at), delv.at(at), qq.at(at), ql.at(at), e.at(at), p.at(at), q.at(at), *again);
            (0..*more).for_each(|_| domain.par_loop(material::evaluate_again, *set, operands, &()));
        }
        domain.par_loop(material::compress, elems, (vnew, delv, after, half), &());
        domain.par_loop(material::energy, elems, (vnew, delv, after, half, qq, ql, e, p, q), &());
        domain.par_loop(material::sound_speed, elems, (vnew, after, e, p, ss), &());
        domain.par_loop(material::update_volume, elems, (vnew, v), &());
    }

    /// The centre of an element, on whichever rank. Collective.
    pub fn middle_of(&self, domain: &mut Domain, element: u64) -> Result<Vec<f64>, BackendError> {
        let place: Dat<3> = domain.new_dat(self.elems, "middle");
        domain.par_loop(middle, self.elems, (self.x.all(self.corners), place), &());
        domain.element(place, element).map(|place| place.to_vec())
    }
}
