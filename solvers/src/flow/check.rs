//! Configurations that make no sense.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::derive::periodic::copies::{COPIES, COPY_TURN};

use super::config::{Condition, Config, Equations, LocalStep, Scheme, Start, Up};
use super::gas::FreeStream;

/// The sine of the angle by which a vector may be off an axis.
const OFF_AXIS: f64 = 1e-9;

/// By how much a Mach number of 1 may be off.
const ROUNDING: f64 = 1e-9;

/// States between two adaptations that are held at once.
const MOST_SAMPLES: usize = 32;

/// Refuses a configuration for a mesh of some dimension.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn check(config: &Config, dimension: usize) -> Result<(), String> {
    equations(config)?;
    time(config)?;
    lift(config)?;
    if dimension == 2 && !config.stations.is_empty() {
        return Err(
            "flow.stations are sections of walls in three dimensions, and this mesh has two; remove it"
                .into(),
        );
    }
    if dimension == 2 && config.up == Up::Z {
        return Err("flow.up = \"z\" has no meaning in the plane; expected \"y\"".into());
    }
    if config.start != Start::FreeStream && config.start_from.is_some() {
        return Err("flow.start and flow.start_from both say what a run starts from; keep one of them".into());
    }
    match config.start {
        Start::FreeStream => {}
        Start::Vortex => vortex(config)?,
        Start::Blast => blast(config, dimension)?,
    }
    for (name, condition) in &config.boundaries {
        vectors(name, condition, dimension)?;
    }
    for (side, condition) in &config.boundaries {
        if let Condition::Periodic { angle: Some(_), axis, .. } = condition {
            let axis = axis.as_ref().map_or([0.0, 0.0, 1.0], |axis| std::array::from_fn(|k| axis[k]));
            along(config, side, axis)?;
        }
    }
    supersonic_inlets(config)?;
    pressures(config)
}

/// Refuses keys of an adapting mesh that make no sense, and a mesh that cannot be adapted.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn adaptation(config: &Config, dimension: usize, mesh: &Mesh) -> Result<(), String> {
    let keys = &config.adaptation;
    if !keys.is_on() {
        return Ok(());
    }
    let refused = |what: &str| Err(format!("{what}; or leave flow.adaptation.cycles at 0"));
    if dimension != 2 {
        return refused("this is a mesh of 3 dimensions, and only meshes of triangles can be adapted");
    }
    let quadrilaterals = mesh.set("quadrilaterals").map_or(0, |set| mesh.sets[set].rows);
    if quadrilaterals > 0 {
        return refused(&format!(
            "the mesh has {quadrilaterals} quadrilaterals, and only meshes of triangles can be adapted: cut them, as with \
             mesh.generate.elements = \"triangles\""
        ));
    }
    if let Some(pair) = config.outline.pairs().first() {
        return Err(format!(
            "adaptation.boundaries.{}: flow.boundaries says which boundaries are periodic; remove this entry",
            pair.names[0]
        ));
    }
    if let Err(what) = config.outline.check(keys.h_min, keys.h_max) {
        return refused(&what);
    }
    if keys.sensors.is_empty() {
        return refused("flow.adaptation.sensors is empty; expected such as [\"mach\"]");
    }
    for sensor in &keys.sensors {
        let Some(known) = sensor.equations() else { continue };
        if !known.contains(&config.equations) {
            let known: Vec<String> = known.iter().map(|known| format!("\"{}\"", known.word())).collect();
            return Err(format!(
                "flow.adaptation.sensors has \"{}\", which flow.equations = \"{}\" does not have; expected another \
                 sensor, such as \"mach\", or flow.equations = {}",
                sensor.word(),
                config.equations.word(),
                known.join(" or ")
            ));
        }
    }
    if config.scheme.is_in_time() && keys.samples_of_a_window() > MOST_SAMPLES {
        return refused(&format!(
            "flow.adaptation.steps = {} and flow.adaptation.samples = {} are {} states between two adaptations; expected at \
             most {MOST_SAMPLES}",
            keys.steps,
            keys.samples,
            keys.samples_of_a_window()
        ));
    }
    Ok(())
}

/// Refuses vectors that change when they are turned with a boundary of the mesh. Pairs that a configuration names are checked
/// with their names before ([`check`]); others are stated by the mesh itself. Collective.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn stated_turns(comm: &Comm, config: &Config, mesh: &Mesh) -> Result<(), String> {
    let Some(dat) = mesh.dat(COPY_TURN) else { return Ok(()) };
    let Values::F64(turns) = &mesh.dats[dat].values else { unreachable!("turns are real numbers") };
    let vectors = vectors_at_boundaries(config);
    let has_changed = |v: [f64; 3]| {
        let is_other = |turn: &[f64; 9]| {
            let row = |k: usize| (0..3).map(|l| turn[3 * k + l] * v[l]).sum::<f64>();
            square(std::array::from_fn(|k| row(k) - v[k])) > OFF_AXIS * OFF_AXIS * square(v)
        };
        turns.as_chunks::<9>().0.iter().any(is_other)
    };
    let own: Vec<u8> = vectors.iter().map(|(_, _, v)| u8::from(has_changed(*v))).collect();
    let all = comm.all_gather(&own);
    let found = vectors.iter().enumerate().find(|(at, _)| all.iter().any(|flags| flags[*at] != 0));
    found.map_or(Ok(()), |(_, (name, what, _))| {
        Err(format!(
            "{what} of the boundary \"{name}\" is not along the axis about which the mesh itself states that a periodic \
             boundary is turned, so it would not be the same in the next sector; expected a vector along the axis"
        ))
    })
}

/// Refuses keys without effect between the periodic boundaries of a mesh. Those that a configuration names are refused by their
/// names before ([`check`]); others are stated by the mesh itself.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn stated_pairs(config: &Config, mesh: &Mesh) -> Result<(), String> {
    let is_explicit = config.scheme == Scheme::Explicit;
    let is_joined = mesh.set(COPIES).is_some();
    if is_joined && is_explicit && config.coarse_levels.is_some_and(|levels| levels > 0) {
        return Err("coarse levels of flow.scheme = \"explicit\" do not continue at the periodic boundaries that the mesh \
                    itself states; remove flow.coarse_levels"
            .into());
    }
    if is_joined && is_explicit && config.local_step == Some(LocalStep::Matrix) {
        return Err("flow.local_step = \"matrix\" does not continue at the periodic boundaries that the mesh itself states; \
                    remove it"
            .into());
    }
    Ok(())
}

fn equations(config: &Config) -> Result<(), String> {
    let is_sst = config.equations == Equations::Sst;
    if config.turbulence_intensity.is_some() && !is_sst {
        return Err(format!(
            "flow.turbulence_intensity has no meaning for flow.equations = \"{}\"; remove it, or use \"sst\"",
            config.equations.word()
        ));
    }
    if config.free_turbulence == Some(0.0) && is_sst {
        return Err("flow.free_turbulence = 0 makes omega infinite with flow.equations = \"sst\"; expected a positive \
                    number, such as 0.009"
            .into());
    }
    let given = config.reynolds.is_some() || config.viscosity.is_some();
    if config.reynolds.is_some() && config.viscosity.is_some() {
        return Err("flow.reynolds and flow.viscosity both give the viscosity; keep one of them".into());
    }
    match config.equations {
        Equations::Euler if given => {
            Err("the Euler equations have no viscosity; remove it, or set flow.equations = \"laminar\""
                .into())
        }
        Equations::Euler => {
            let sticks = |condition: &Condition| matches!(condition, Condition::NoSlip { .. });
            let wall = config.boundaries.iter().find(|(_, condition)| sticks(condition));
            wall.map_or(Ok(()), |(name, _)| {
                Err(format!(
                    "the flow sticks to the boundary \"{name}\", but without viscosity it slips; expected \"slip\", or \
                     flow.equations = \"laminar\""
                ))
            })
        }
        _ if !given => Err("viscous flow needs a viscosity; give flow.reynolds or flow.viscosity".into()),
        Equations::Laminar => Ok(()),
        _ => turbulence(config),
    }
}

fn turbulence(config: &Config) -> Result<(), String> {
    let model = config.equations.word();
    if config.scheme != Scheme::Newton {
        return Err(format!(
            "flow.equations = \"{model}\" needs flow.scheme = \"newton\", which finds steady flow; it has no steps of \
             \"{}\"",
            config.scheme.word()
        ));
    }
    match config.boundaries.values().any(|condition| matches!(condition, Condition::NoSlip { .. })) {
        true => Ok(()),
        false => Err(format!(
            "flow.equations = \"{model}\" needs the distance from a wall that the flow sticks to, but no boundary is \
             \"no_slip\"; expected one, or flow.equations = \"laminar\""
        )),
    }
}

fn time(config: &Config) -> Result<(), String> {
    let word = config.scheme.word();
    let given = [("time_step", config.time_step), ("end_time", config.end_time)];
    match given.iter().find(|(_, value)| value.is_some()) {
        Some((key, _)) if !config.scheme.is_in_time() => {
            return Err(format!(
                "flow.{key} has no meaning for flow.scheme = \"{word}\", whose time steps differ from node to node; remove \
                 it, or use \"rk3\" or \"bdf2\""
            ));
        }
        _ => {}
    }
    if config.scheme == Scheme::Bdf2 && config.time_step.is_none() {
        return Err("flow.scheme = \"bdf2\" needs flow.time_step".into());
    }
    let without = [("cfl", config.cfl.is_some()), ("tolerance", config.tolerance > 0.0)];
    let given = without.into_iter().find(|(_, is_given)| *is_given);
    if let Some((key, _)) = given.filter(|_| config.scheme == Scheme::Bdf2) {
        return Err(format!(
            "flow.{key} has no meaning for flow.scheme = \"bdf2\", which solves each time step; remove it: \
             flow.inner_tolerance says how far, flow.cfl_max in what steps, flow.end_time when the run ends"
        ));
    }
    if config.most_coarse_levels() > 0 {
        coarse_levels(config)?;
    }
    local_step(config)?;
    if config.scheme == Scheme::Newton && config.cfl() > config.cfl_max {
        return Err(format!(
            "flow.cfl = {} is above flow.cfl_max = {}; expected a smaller one to start with",
            config.cfl(),
            config.cfl_max
        ));
    }
    Ok(())
}

fn coarse_levels(config: &Config) -> Result<(), String> {
    if config.scheme == Scheme::Rk3 {
        return Err("flow.coarse_levels has no meaning for flow.scheme = \"rk3\", which follows the flow in time; remove it, or \
                    use another scheme"
            .into());
    }
    if config.scheme == Scheme::Explicit && config.equations != Equations::Euler {
        return Err(format!(
            "coarse levels of flow.scheme = \"explicit\" have no viscosity, and flow.equations = \"{}\"; remove \
             flow.coarse_levels, or use flow.scheme = \"newton\"",
            config.equations.word()
        ));
    }
    if let Some(name) = periodic(config).filter(|_| config.scheme == Scheme::Explicit) {
        return Err(format!(
            "coarse levels of flow.scheme = \"explicit\" do not continue at the periodic boundary \"{name}\"; remove \
             flow.coarse_levels"
        ));
    }
    let is_turned = |condition: &Condition| matches!(condition, Condition::Periodic { angle: Some(_), .. });
    let mut turned = config.boundaries.iter().filter(|(_, condition)| is_turned(condition));
    match (config.coarse_levels, turned.next(), turned.next()) {
        (Some(_), Some((first, _)), Some((second, _))) => Err(format!(
            "the boundaries \"{first}\" and \"{second}\" are both rotated onto others, but on coarse levels only one can be; \
             remove flow.coarse_levels"
        )),
        _ => Ok(()),
    }
}

fn local_step(config: &Config) -> Result<(), String> {
    let Some(given) = config.local_step else { return Ok(()) };
    let refused = |what: &str| Err(format!("flow.local_step = \"{}\" {what}", given.word()));
    if config.scheme != Scheme::Explicit {
        let word = config.scheme.word();
        return refused(&format!(
            "has no meaning for flow.scheme = \"{word}\"; remove it, or use \"explicit\""
        ));
    }
    if given == LocalStep::Scalar && config.most_coarse_levels() > 0 {
        return refused("damps too little between coarse levels; remove it, or flow.coarse_levels");
    }
    match periodic(config) {
        Some(name) if given == LocalStep::Matrix => {
            refused(&format!("does not continue at the periodic boundary \"{name}\"; remove it"))
        }
        _ => Ok(()),
    }
}

/// The name of a periodic boundary, if there is one.
fn periodic(config: &Config) -> Option<&str> {
    let is_periodic = |condition: &Condition| matches!(condition, Condition::Periodic { .. });
    let found = config.boundaries.iter().find(|(_, condition)| is_periodic(condition));
    found.map(|(name, _)| name.as_str())
}

fn lift(config: &Config) -> Result<(), String> {
    let Some(lift) = config.target_lift else {
        return match config.lift_steps {
            Some(_) => Err("flow.lift_steps has no meaning without flow.target_lift; remove it".into()),
            None => Ok(()),
        };
    };
    let refused = |what: String| Err(format!("flow.target_lift = {lift} {what}"));
    if config.scheme.is_in_time() {
        return refused(format!(
            "has no meaning for flow.scheme = \"{}\", whose flow changes with time; remove it, or use \"newton\" or \
             \"explicit\"",
            config.scheme.word()
        ));
    }
    let mut conditions = config.boundaries.values();
    let is_wall = |condition: &Condition| matches!(condition, Condition::Slip {} | Condition::NoSlip { .. });
    if !conditions.clone().any(is_wall) {
        return refused("needs a wall, on which the lift is; no boundary is \"slip\" or \"no_slip\"".into());
    }
    let has_angle = |condition: &Condition| match condition {
        Condition::FarField {} => true,
        Condition::Inlet { direction: vector, .. }
        | Condition::VelocityInlet { velocity: vector, .. }
        | Condition::SupersonicInlet { velocity: vector, .. } => vector.is_none(),
        _ => false,
    };
    if !conditions.any(has_angle) {
        return refused(
            "needs a boundary at which the free stream comes in, whose angle decides the lift: \"far_field\", or an \
             inlet without a direction or velocity of its own"
                .into(),
        );
    }
    Ok(())
}

fn vortex(config: &Config) -> Result<(), String> {
    let [radius, strength] = [config.vortex[2], config.vortex[3]];
    if radius <= 0.0 {
        return Err(format!("flow.vortex: its radius is {radius}; expected a positive one"));
    }
    let free = FreeStream::new(config);
    let speed = strength * free.speed;
    let heat = config.gamma * config.gas_constant() * free.temperature;
    let cooler = 0.5 * (config.gamma - 1.0) * speed * speed / heat * same_math::exp(1.0);
    if cooler >= 1.0 {
        return Err(format!(
            "flow.vortex: it turns so fast that its middle is below the temperature 0; expected a largest velocity of less \
             than {} of the free stream's",
            strength.abs() / cooler.sqrt()
        ));
    }
    Ok(())
}

fn blast(config: &Config, dimension: usize) -> Result<(), String> {
    let numbers = &config.blast;
    if numbers.len() != dimension + 3 {
        return Err(format!(
            "flow.blast has {} numbers; expected {} in {dimension} dimensions: {} of the middle, the radius, the pressure and \
             the density",
            numbers.len(),
            dimension + 3,
            if dimension == 2 { "x and y" } else { "x, y and z" }
        ));
    }
    let names = ["radius", "pressure", "density"];
    match names.iter().zip(&numbers[dimension..]).find(|(_, value)| **value <= 0.0) {
        Some((name, value)) => Err(format!("flow.blast: its {name} is {value}; expected a positive one")),
        None => Ok(()),
    }
}

fn vectors(name: &str, condition: &Condition, dimension: usize) -> Result<(), String> {
    let vector = match condition {
        Condition::NoSlip { velocity, .. }
        | Condition::VelocityInlet { velocity, .. }
        | Condition::SupersonicInlet { velocity, .. } => velocity,
        Condition::Inlet { direction, .. } => direction,
        _ => return Ok(()),
    };
    let Some(vector) = vector else { return Ok(()) };
    if vector.len() != dimension {
        return Err(format!(
            "the vector of the boundary \"{name}\" has {} components, but the mesh has {dimension} dimensions",
            vector.len()
        ));
    }
    let is_direction = matches!(condition, Condition::Inlet { .. });
    if is_direction && vector.iter().all(|component| *component == 0.0) {
        return Err(format!(
            "the direction of the boundary \"{name}\" is 0; expected a vector of any other length"
        ));
    }
    Ok(())
}

/// What flows in at boundaries, and moves with walls, must be the same when it is turned with the boundary `side`: along the
/// axis.
fn along(config: &Config, side: &str, axis: [f64; 3]) -> Result<(), String> {
    for (name, what, v) in vectors_at_boundaries(config) {
        let across: [f64; 3] = std::array::from_fn(|k| {
            let [i, j] = [(k + 1) % 3, (k + 2) % 3];
            v[i] * axis[j] - v[j] * axis[i]
        });
        if square(across) > OFF_AXIS * OFF_AXIS * square(v) * square(axis) {
            return Err(format!(
                "{what} of the boundary \"{name}\" is not along the axis about which \"{side}\" is turned, so it would not \
                 be the same in the next sector; expected a vector along the axis"
            ));
        }
    }
    Ok(())
}

/// The vectors of boundaries, with the boundary's name and what each is.
fn vectors_at_boundaries(config: &Config) -> Vec<(&str, &'static str, [f64; 3])> {
    let free = config.wind();
    let boundaries = config.boundaries.iter();
    let vectors = boundaries.filter_map(|(name, condition)| {
        let (what, given) = match condition {
            Condition::FarField {} => ("the free stream", None),
            Condition::Inlet { direction, .. } => ("the direction", direction.as_ref()),
            Condition::VelocityInlet { velocity, .. } | Condition::SupersonicInlet { velocity, .. } => {
                ("the velocity", velocity.as_ref())
            }
            Condition::NoSlip { velocity: velocity @ Some(_), .. } => ("the velocity", velocity.as_ref()),
            _ => return None,
        };
        let v = given.map_or(free, |given| std::array::from_fn(|k| given.get(k).copied().unwrap_or(0.0)));
        Some((name.as_str(), what, v))
    });
    vectors.collect()
}

fn square(v: [f64; 3]) -> f64 {
    v.iter().map(|component| component * component).sum()
}

/// Refuses gas that comes in slower than sound with all of its state given: its pressure comes from inside.
fn supersonic_inlets(config: &Config) -> Result<(), String> {
    let mach = |condition: &Condition| {
        let [rho, u, v, w, p] = super::conditions::given::<5>(Some(condition), config);
        ((u * u + v * v + w * w) * rho / (config.gamma * p)).sqrt()
    };
    let is_slow = |condition: &Condition| {
        matches!(condition, Condition::SupersonicInlet { .. }) && mach(condition) < 1.0 - ROUNDING
    };
    match config.boundaries.iter().find(|(_, condition)| is_slow(condition)) {
        Some((name, condition)) => Err(format!(
            "the flow comes in at Mach {:.3} through the boundary \"{name}\", a supersonic inlet; expected at least Mach 1, or \
             \"inlet\", \"velocity_inlet\" or \"far_field\"",
            mach(condition)
        )),
        None => Ok(()),
    }
}

/// The lowest pressure of an outlet must be below the highest of an inlet at rest.
fn pressures(config: &Config) -> Result<(), String> {
    let given = |condition: &Condition| super::conditions::given::<5>(Some(condition), config)[0];
    let of = |is_inlet: bool| {
        config.boundaries.iter().filter(move |(_, condition)| match condition {
            Condition::Inlet { .. } => is_inlet,
            Condition::Outlet { mass_flow: None, .. } => !is_inlet,
            _ => false,
        })
    };
    let highest = of(true).max_by(|a, b| given(a.1).total_cmp(&given(b.1)));
    let lowest = of(false).min_by(|a, b| given(a.1).total_cmp(&given(b.1)));
    match (highest, lowest) {
        (Some((inlet, high)), Some((outlet, low))) if given(low) >= given(high) => Err(format!(
            "the pressure {} of the outlet \"{outlet}\" is not below the total pressure {} of the inlet \"{inlet}\", so \
             nothing flows",
            given(low),
            given(high)
        )),
        _ => Ok(()),
    }
}
