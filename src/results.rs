//! Output of a run's fields: `solution.h5`, files for ParaView, pictures of a field and of the wall pressure.

use std::path::Path;
use std::rc::Rc;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_io::{Datum, DatumValue, Digest, Field, Piece, VtkHdf};
use cfd_mesh::ElementMesh;
use cfd_solvers::Solver;
use cfd_solvers::output::{Drawing, Output, Picture, Section, derived_fields};

use crate::config::{Config, OutputSettings};
use crate::exit::Error;
use crate::grid::Shown;
use crate::history::History;
use crate::output::OutputDirectory;
use crate::plot;
use crate::plot::cut::Drawn;
use crate::plot::heading;
use crate::provenance::Provenance;
use crate::report::summary::Entries;
use crate::setup::MeshFacts;

/// Writes results.
pub struct Results<'a> {
    comm: &'a Comm,
    config: &'a Config,
    mesh: Rc<MeshFacts>,
    shown: Shown,
    /// The file of all steps, and whether the mesh has changed since the last of them.
    vtkhdf: VtkHdf,
    new_mesh: bool,
}

/// The file of all steps.
const STEPS: &str = "solution.vtkhdf";

impl<'a> Results<'a> {
    /// Nothing is written yet.
    pub fn new(
        comm: &'a Comm,
        config: &'a Config,
        mesh: Rc<MeshFacts>,
        shown: Shown,
        directory: &Path,
    ) -> Results<'a> {
        let vtkhdf = VtkHdf::new(&directory.join(STEPS));
        Results { comm, config, mesh, shown, vtkhdf, new_mesh: false }
    }

    /// Whether files or pictures show the mesh.
    pub fn show_the_mesh(config: &Config) -> bool {
        let output = &config.run.output;
        output.mesh || output.pictures || output.formats.iter().any(|format| format != "h5")
    }

    /// The solver has replaced the mesh by one that is derived from these elements, if it is to be shown by them.
    pub fn new_mesh(&mut self, elements: Option<ElementMesh>) {
        self.new_mesh = true;
        let elements = elements.filter(|_| Results::show_the_mesh(self.config));
        self.shown = Shown::new(self.config.run.case.facts().needs[0], elements);
    }

    fn wants(&self, format: &str) -> bool {
        self.config.run.output.formats.iter().any(|wanted| wanted == format)
    }

    fn title(&self) -> String {
        heading::title(&self.config.run)
    }

    /// The global data in files for ParaView: the time, which is the iteration, the run, its input numbers and its
    /// final numbers.
    pub fn known(&self, history: &History, values: &[(String, f64)], solution: Option<Digest>) -> Vec<Datum> {
        let iterations = history.iterations();
        let run = &self.config.run;
        let mut known = vec![
            Datum::number("TimeValue", iterations as f64),
            Datum::count("iteration", iterations),
            Datum::text("case", run.case.name()),
            Datum::text("mesh", &self.mesh.source),
        ];
        known.extend(history.residual().map(|residual| Datum::number("residual", residual)));
        let numbers = run.keys.as_object().into_iter().flatten();
        let numbers = numbers.filter(|(name, value)| value.is_f64() && *name != "tolerance");
        known.extend(numbers.filter_map(|(name, value)| Some(Datum::number(name, value.as_f64()?))));
        known.extend(values.iter().map(|(name, value)| Datum::number(name, *value)));
        known.extend(solution.map(|hash| Datum::text("solution_hash", &hash.to_string())));
        known
    }

    /// Whether VTU files are written for iterations in between: yes, unless only the file of all steps is requested.
    pub fn lists_steps(output: &OutputSettings) -> bool {
        let wants = |format: &str| output.formats.iter().any(|wanted| wanted == format);
        wants("vtu") || !wants("vtkhdf")
    }

    /// Writes the current state as VTU files; returns the name of the one to open. Collective.
    ///
    /// # Errors
    /// A device has failed, or a file cannot be written.
    pub fn write_vtu(
        &self,
        domain: &mut Domain,
        solver: &dyn Solver,
        directory: &Path,
        stem: &str,
        known: &[Datum],
    ) -> Result<String, Error> {
        let mut grid = self.comm.agree(self.shown.grid(self.comm, domain, solver, false))?;
        grid.field_data = known.to_vec();
        let piece = grid.piece(self.comm);
        Ok(cfd_io::write_vtu(self.comm, directory, stem, &piece)?)
    }

    /// Adds the current state to the file of all steps, if requested; returns the file's name. Collective.
    ///
    /// # Errors
    /// A device has failed, or the file cannot be written.
    pub fn add_step(
        &mut self,
        domain: &mut Domain,
        solver: &dyn Solver,
        known: &[Datum],
    ) -> Result<Option<&'static str>, Error> {
        if !self.wants("vtkhdf") {
            return Ok(None);
        }
        let mut grid = self.comm.agree(self.shown.grid(self.comm, domain, solver, false))?;
        grid.field_data = known.to_vec();
        let time = known.iter().find_map(|datum| match datum.value {
            DatumValue::Number(time) if datum.name == "TimeValue" => Some(time),
            _ => None,
        });
        self.vtkhdf.add(self.comm, time.unwrap_or(0.0), &grid, !self.new_mesh)?;
        self.new_mesh = false;
        Ok(Some(STEPS))
    }

    /// Writes the final state for ParaView, if requested; returns the VTU file to open, if any. Collective.
    ///
    /// # Errors
    /// As [`Results::write_vtu`].
    pub fn show(
        &mut self,
        domain: &mut Domain,
        solver: &dyn Solver,
        output: &mut OutputDirectory,
        known: &[Datum],
    ) -> Result<Option<String>, Error> {
        let vtu = match self.wants("vtu") {
            true => Some(self.write_vtu(domain, solver, output.directory(), "solution", known)?),
            false => None,
        };
        for file in vtu.as_deref().into_iter().chain(self.add_step(domain, solver, known)?) {
            output.file(file);
        }
        Ok(vtu)
    }

    /// Writes the wall pressure, and draws it, a field and whatever else the solver has, if pictures are enabled.
    /// Collective.
    ///
    /// # Errors
    /// A device has failed, or a file cannot be written.
    pub fn draw(
        &self,
        domain: &mut Domain,
        solver: &dyn Solver,
        output: &mut OutputDirectory,
        subtitle: &str,
    ) -> Result<(), Error> {
        let shown = solver.outputs();
        let mut wall = Vec::new();
        for part in &shown {
            match part {
                Output::WallPressure(points) => {
                    wall = points(domain)?;
                    self.write_wall(output, subtitle, &wall)?;
                }
                Output::Sections(sections) => {
                    let sections = sections(domain)?;
                    self.write_sections(output, subtitle, &sections)?;
                }
                _ => {}
            }
        }
        let is_drawn = |part: &Output<'_>| matches!(part, Output::Picture(_) | Output::Drawing(_));
        if !self.config.run.output.pictures || !shown.iter().any(is_drawn) {
            return Ok(());
        }
        let grid = self.comm.agree(self.shown.grid(self.comm, domain, solver, true))?;
        let piece = grid.piece(self.comm);
        for part in &shown {
            match part {
                Output::Picture(picture) => {
                    let body = self.body(domain, picture, &wall)?;
                    self.draw_field(output, subtitle, picture, &piece, body)?;
                }
                Output::Drawing(drawing) => self.draw_one(output, subtitle, drawing, &piece)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the pressure along a wall, as `cp.csv` and drawn as `cp.svg`.
    fn write_wall(
        &self,
        output: &mut OutputDirectory,
        subtitle: &str,
        wall: &[[f64; 3]],
    ) -> Result<(), Error> {
        if self.comm.max(wall.len() as u64) == 0 {
            return Ok(());
        }
        let points = plot::pressure::points(wall);
        output.write(self.comm, "cp.csv", || plot::pressure::to_csv(&points))?;
        if self.config.run.output.pictures {
            output.write(self.comm, "cp.svg", || plot::pressure::svg(&self.title(), subtitle, &points))?;
        }
        Ok(())
    }

    /// Writes the solver's tables. Collective.
    ///
    /// # Errors
    /// A device has failed, or a file cannot be written.
    pub fn write_tables(
        &self,
        domain: &mut Domain,
        solver: &dyn Solver,
        output: &mut OutputDirectory,
    ) -> Result<(), Error> {
        for part in solver.outputs() {
            if let Output::Table(file, text) = part {
                let text = text(domain)?;
                output.write(self.comm, file, || text)?;
            }
        }
        Ok(())
    }

    fn draw_one(
        &self,
        output: &mut OutputDirectory,
        subtitle: &str,
        drawing: &Drawing,
        piece: &Piece,
    ) -> Result<(), Error> {
        let text = plot::drawing(self.comm, &self.title(), subtitle, drawing, piece);
        output.write(self.comm, &format!("{}.svg", drawing.file()), || text.expect("rank 0 has it"))
    }

    /// The body's extent along x: from the points on its wall, which rank 0 has, or from the solver. Collective.
    fn body(
        &self,
        domain: &mut Domain,
        picture: &Picture<'_>,
        wall: &[[f64; 3]],
    ) -> Result<Option<[f64; 2]>, Error> {
        let known = match &picture.body {
            Some(body) => body(domain)?,
            None => None,
        };
        let of_wall = plot::outline::range(wall.iter().map(|&[x, ..]| x));
        Ok(self.comm.broadcast(0, self.comm.is_root().then_some(of_wall)).or(known))
    }

    /// Draws a field around the body in two dimensions, or in space on the faces in the picture's plane.
    fn draw_field(
        &self,
        output: &mut OutputDirectory,
        subtitle: &str,
        picture: &Picture<'_>,
        piece: &Piece,
        body: Option<[f64; 2]>,
    ) -> Result<(), Error> {
        let Some(field) = Drawn::of(piece, picture.field) else { return Ok(()) };
        let size = plot::field::PIXELS;
        let cut = plot::cut::lowest_plane(self.comm, piece, picture.normal, field);
        let flat;
        let (piece, values): (&Piece, &[f64]) = match &cut {
            Some((cut, values)) => (cut, values),
            None => {
                let corners = piece.cells.iter().enumerate();
                flat = Vec::from_iter(corners.map(|(cell, corners)| field.on(cell, corners)));
                (piece, &flat)
            }
        };
        let bodies = plot::outline::bodies(self.comm, piece);
        let of_bodies = || plot::outline::range(bodies.iter().flatten().map(|&[x, _]| x));
        let body = match &cut {
            Some(_) => body.or_else(|| self.comm.broadcast(0, self.comm.is_root().then(of_bodies))),
            None => body,
        };
        let window = match (&cut, body) {
            (Some(_), None) => plot::raster::whole(self.comm, piece),
            _ => plot::raster::window(self.comm, piece, body, size),
        };
        let Some(window) = window else { return Ok(()) };
        let image = plot::raster::draw(self.comm, piece, values, window, size);
        output.write(self.comm, &format!("{}.svg", picture.field), || {
            let image = image.expect("rank 0 has the image");
            plot::field::svg(&self.title(), subtitle, picture.title, &image, &bodies)
        })
    }

    /// Writes the wall pressure where planes cut a three-dimensional body, as `cp.csv` and drawn as `cp.svg`.
    fn write_sections(
        &self,
        output: &mut OutputDirectory,
        subtitle: &str,
        sections: &[Section],
    ) -> Result<(), Error> {
        if self.comm.max(sections.len() as u64) == 0 {
            return Ok(());
        }
        output.write(self.comm, "cp.csv", || {
            let rows = sections.iter().flat_map(|Section { station, span, points }| {
                points.iter().map(move |[x, height, cp]| format!("{station},{span},{x},{height},{cp}\n"))
            });
            format!("station,span,x_over_chord,height,cp\n{}", rows.collect::<String>())
        })?;
        if self.config.run.output.pictures {
            let curve = |section: &Section| (section.station, section.points.clone());
            output.write(self.comm, "cp.svg", || {
                let curves: Vec<_> = sections.iter().map(curve).collect();
                plot::pressure::sections(&self.title(), subtitle, &curves)
            })?;
        }
        Ok(())
    }

    /// Hashes the fields and, if requested, writes them; returns the hashes by name, and the solution's. Collective.
    ///
    /// # Errors
    /// A field is not finite, a device has failed, or the file cannot be written.
    pub fn write_solution(
        &self,
        domain: &mut Domain,
        solver: &dyn Solver,
        output: &mut OutputDirectory,
        provenance: &Provenance,
    ) -> Result<(Entries, Digest), Error> {
        let mut fields = Vec::new();
        let mut digests = Vec::new();
        for field in solver.fields() {
            let field = Field::of(domain, &field.name, field.dat)?;
            digests.push(field.hash(self.comm)?);
            fields.push(field);
        }
        let solution = cfd_io::solution_hash(&digests);
        let mut hashes: Entries =
            fields.iter().zip(&digests).map(|(f, d)| (f.name.clone(), d.to_string().into())).collect();
        hashes.insert("solution".into(), solution.to_string().into());
        if self.wants("h5") {
            for field in derived_fields(solver, domain)? {
                fields.push(Field::of(domain, &format!("derived/{}", field.name), field.dat)?);
            }
            let mut attributes = vec![
                ("case".to_string(), self.config.run.case.name().to_string()),
                ("config".to_string(), self.config.to_toml()),
                ("mesh_hash".to_string(), self.mesh.hash.clone()),
                ("solution_hash".to_string(), solution.to_string()),
                ("version".to_string(), env!("CARGO_PKG_VERSION").to_string()),
            ];
            let provenance = provenance.entries();
            attributes.extend(provenance.map(|(name, text)| (name.to_string(), text.to_string())));
            let path = output.file("solution.h5");
            if self.config.run.output.mesh {
                let grid = self.comm.agree(self.shown.grid(self.comm, domain, solver, false))?;
                cfd_io::write_solution_on(self.comm, &path, &attributes, &fields, &grid)?;
            } else {
                cfd_io::write_solution(self.comm, &path, &attributes, &fields)?;
            }
        }
        Ok((hashes, solution))
    }
}
