//! The film of a run: meshes and a field on each, at several moments (`film.svg`).
//!
//! A frame becomes two images as soon as the solver leaves it. All ranks keep them, and checkpoints do, so the film of
//! a run that continues has the frames of the runs before.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_io::{Array, Grid};
use cfd_solvers::output::Frame;
use serde::{Deserialize, Serialize};

use crate::plot::heading::grouped;
use crate::plot::raster::{self, Window};
use crate::plot::{cut, outline, sides};

/// The file.
pub const FILE: &str = "film.svg";
/// Most pixels of a field's image.
const PIXELS: [usize; 2] = [600, 400];
/// Pixels of a mesh's image for each of a field's, along either axis.
const SHARP: usize = 2;
/// Shades in one number of a checkpoint: 48 bits are exact.
const PACKED: usize = 6;
/// The name of the field while it is drawn.
const FIELD: &str = "field";

/// The frames so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Film {
    /// The part of the plane that all of them show.
    pub window: Option<Window>,
    /// The frames.
    pub stills: Vec<Still>,
}

/// A frame as images.
#[derive(Clone, Debug, PartialEq)]
pub struct Still {
    /// What stands above it.
    pub label: String,
    /// Pixels of a row of the field's image.
    pub width: usize,
    /// Values of the field's pixels, row by row from the top; NaN outside the mesh.
    pub values: Vec<f64>,
    /// How dark the pixels of the mesh's image are, which has [`Still::sharp`] pixels.
    pub shades: Vec<u8>,
}

/// What a checkpoint's header says of a film.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilmShape {
    /// The lower left and the upper right corner of the window.
    window: [[f64; 2]; 2],
    /// Label, width, height.
    stills: Vec<(String, usize, usize)>,
}

/// A dataset of a checkpoint: its name and its values.
pub type Series = (String, Vec<f64>);

impl Still {
    /// Rows of the field's image.
    pub fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// Columns and rows of the mesh's image.
    pub fn sharp(&self) -> [usize; 2] {
        [SHARP * self.width, SHARP * self.height()]
    }
}

impl Film {
    /// Adds a frame. Collective.
    pub fn add(&mut self, comm: &Comm, frame: &Frame) {
        let mut grid = Grid::of_elements(comm, &frame.elements, false);
        grid.point_data.extend(Array::of_field(FIELD, &[FIELD], 1, Values::F64(frame.values.clone())));
        let piece = grid.piece(comm);
        let Some(window) = self.window.or_else(|| window(comm, &piece)) else { return };
        let field = cut::Drawn::of(&piece, FIELD).expect("it has just been added");
        let cells = piece.cells.iter().enumerate();
        let on_cells: Vec<f64> = cells.map(|(cell, corners)| field.on(cell, corners)).collect();
        let image = raster::draw(comm, &piece, &on_cells, window, PIXELS);
        let values = image.as_ref().map_or(Vec::new(), |image| image.smooth.clone());
        let values = comm.all_gather(&values).concat();
        let width = comm.max(image.map_or(0, |image| image.width as u64)) as usize;
        let label = format!("{}: {} nodes", frame.label, grouped(grid.points));
        let mut still = Still { label, width, values, shades: Vec::new() };
        let shades = sides::shades(comm, &piece, window, still.sharp());
        still.shades = comm.all_gather(&shades.unwrap_or_default()).concat();
        self.window = Some(window);
        self.stills.push(still);
    }

    /// What a checkpoint holds of it; `None` without frames.
    pub fn shape(&self) -> Option<FilmShape> {
        let window = self.window.filter(|_| !self.stills.is_empty())?;
        let stills = self.stills.iter().map(|still| (still.label.clone(), still.width, still.height()));
        Some(FilmShape { window: [window.low, window.high], stills: stills.collect() })
    }

    /// The images in a checkpoint.
    pub fn series(&self) -> Vec<Series> {
        let of = |(at, still): (usize, &Still)| {
            [(name(at, FIELD), still.values.clone()), (name(at, "mesh"), packed(&still.shades))]
        };
        self.stills.iter().enumerate().flat_map(of).collect()
    }
}

impl FilmShape {
    /// The film, whose images `read` finds by name; `None` if one of them is not an image of this shape.
    pub fn film<E>(&self, read: impl Fn(&str) -> Result<Vec<f64>, E>) -> Result<Option<Film>, E> {
        let mut stills = Vec::new();
        for (at, (label, width, height)) in self.stills.iter().enumerate() {
            let values = read(&name(at, FIELD))?;
            let pixels = width.checked_mul(*height).filter(|&pixels| pixels > 0 && pixels == values.len());
            let shades = unpacked(&read(&name(at, "mesh"))?, pixels.unwrap_or(0) * SHARP * SHARP);
            let (Some(_), Some(shades)) = (pixels, shades) else { return Ok(None) };
            stills.push(Still { label: label.clone(), width: *width, values, shades });
        }
        let [low, high] = self.window;
        let is_window = (0..2).all(|axis| low[axis] < high[axis]);
        Ok(is_window.then_some(Film { window: Some(Window { low, high }), stills }))
    }
}

/// The part of the plane around bodies; all of it without one. Collective.
fn window(comm: &Comm, piece: &cfd_io::Piece) -> Option<Window> {
    let bodies = outline::bodies(comm, piece);
    let own = outline::range(bodies.iter().flatten().map(|&[x, _]| x));
    match comm.broadcast(0, comm.is_root().then_some(own)) {
        Some(body) => raster::window(comm, piece, Some(body), PIXELS),
        None => raster::whole(comm, piece),
    }
}

/// The name of an image in a checkpoint.
fn name(at: usize, what: &str) -> String {
    format!("film/{}/{what}", at + 1)
}

/// Bytes as numbers.
fn packed(bytes: &[u8]) -> Vec<f64> {
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte)) as f64;
    bytes.chunks(PACKED).map(number).collect()
}

/// So many bytes from their numbers; `None` if they are not those of so many.
fn unpacked(numbers: &[f64], count: usize) -> Option<Vec<u8>> {
    if numbers.len() != count.div_ceil(PACKED) {
        return None;
    }
    let of = |(at, number): (usize, &f64)| {
        let bytes = (*number as u64).to_be_bytes();
        bytes[8 - PACKED.min(count - at * PACKED)..].to_vec()
    };
    Some(numbers.iter().enumerate().flat_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_comes_back_from_a_checkpoint_and_damage_is_seen() {
        let still = |width: usize, height: usize| Still {
            label: format!("{width}"),
            width,
            values: (0..width * height).map(|k| if k == 1 { f64::NAN } else { k as f64 }).collect(),
            shades: (0..width * height * SHARP * SHARP).map(|k| (k * 7 % 256) as u8).collect(),
        };
        let window = Some(Window { low: [0.0, -1.0], high: [2.0, 1.0] });
        let film = Film { window, stills: vec![still(5, 3), still(4, 2)] };
        let series = film.series();
        let read = |name: &str| -> Result<Vec<f64>, ()> {
            Ok(series.iter().find(|(known, _)| known == name).ok_or(())?.1.clone())
        };
        let shape = film.shape().unwrap();
        let again = shape.film(read).unwrap().unwrap();
        assert_eq!(format!("{again:?}"), format!("{film:?}"));
        let mut wrong = shape.clone();
        wrong.stills[0].1 = 6;
        assert_eq!(wrong.film(read), Ok(None));
        wrong = shape.clone();
        wrong.window[1][0] = 0.0;
        assert_eq!(wrong.film(read), Ok(None));
        wrong.stills.push(("third".into(), 1, 1));
        assert_eq!(wrong.film(read), Err(()));
        assert_eq!(Film::default().shape(), None);
    }
}
