//! `#[kernel]`, `#[device]` and `#[derive(Constants)]`: the arithmetic of a loop, written once for every processor.
//!
//! A kernel is a function of one element's operands. The macro parses its body to a small typed representation, checks
//! it, and generates from it: a function generic over the lane type (one element, or several at once), the same
//! function as CUDA C, the operation count, and the argument list against which `par_loop` checks its operands.
//!
//! ```text
//! instances     several kernels from one body: dimensions and device functions by name
//! parse/        syntax → ir: names, types, the subset
//! ir            the typed representation, from which every emitter starts
//! check         access modes, component ranges, Write parameters assigned on every path
//! unroll        loop variables and component numbers
//! ops           operation counts
//! calls         the device functions that are called
//! opposites     parameters that receive the negatives of each other's increments
//! emit_rust/    ir → Rust, generic over `cfd_engine::lane::Real`
//! emit_cuda/    ir → CUDA C, as the kernel's `SOURCE`
//! constants     #[derive(Constants)]
//! hygiene       names and spans of generated code
//! engine        the engine's name in the crate that contains a kernel
//! ```
//!
//! # What a kernel may contain
//!
//! ```text
//! #[kernel]
//! pub fn wall_flux(x1: Read<2>, x2: Read<2>, q: Read<4>, bound: Read<1, i32>, res: Inc<4>, c: &Gas) {
//!     let dx = x1[0] - x2[0];
//!     let dy = x1[1] - x2[1];
//!     let p = pressure(q, c);
//!     if bound[0] == WALL {
//!         res[1] += p * dy;
//!         res[2] -= p * dx;
//!     }
//! }
//! ```
//!
//! | | |
//! | --- | --- |
//! | parameters | `Read<D>`, `Write<D>`, `Rw<D>`, `Inc<D>` (all also with `, i32`), `Sum<D>`, `Min<D>`, `Max<D>`, D a literal or `{ 3 * 5 }`; `[Read<D>; N]`, `[Inc<D>; N]`, `[Min<D>; N]`, `[Max<D>; N]` at all N targets of a map; last, optionally, `c: &Constants` |
//! | dimensions by name | `#[kernel(DIM = 3)]` says the value of `const DIM: usize`; `#[kernel(flux_2d<2>, flux_3d<3>)] fn flux<const DIM: usize>(...)` makes two kernels |
//! | device functions by name | `#[kernel(first<minmod>, second<van_leer>)] fn flux<limiter: Device>(...)` makes two kernels; all of this also in `#[device(...)]` |
//! | types | `f64`, `i32`, `bool`, `[f64; N]`; parameters are arrays, or arrays of arrays at all targets of a map, `x[target][component]` |
//! | statements | `let`, `let mut` (with or without a type), `let (a, b) = (x, y)`, `let [a, b] = row`, `=`, `+= -= *= /=` on variables, components, parameters; `if`/`else`; `for i in 0..4` with literal bounds; blocks |
//! | operators | `+ - * /` and unary `-`, `< <= > >= == !=`, `&&`, <code>&#124;&#124;</code>, `!` (i32: `+ - *` and comparisons) |
//! | functions | `x.sqrt()`, `x.abs()`, `x.min(y)`, `x.max(y)`, also as `sqrt(x)`, `f64::min(x, y)`; any `#[device]` function |
//! | of `same-math` | `exp exp2 exp_m1 ln log2 ln_1p cbrt sin cos tan asin acos atan atan2 sinh cosh tanh powf`, `x.powi(3)` with a literal exponent; as `x.exp()` or `f64::exp(x)` |
//! | components | `q[2]`, `q[i]`, `q[(i + 1) % 4]`: literals and loop variables under `+ - * / %`; names for these, `let k = (i + 1) % 4;`, `let last: usize = 3;` |
//! | constants | `c.gamma`, `c.free_stream[i]`, and `const` items in upper case |
//!
//! - Both branches of an `if` are evaluated, in all lanes; the condition selects the values of what they assign.
//!   An `if` or a block used as a value assigns only its own variables. `&&` and `||` evaluate both sides.
//! - `min` is `if a < b { a } else { b }` and `max` is `if b < a { a } else { b }`, on every processor.
//! - Loops are unrolled. Operations keep the order and grouping of the source and are never fused: the bits are
//!   those of the source read as plain Rust.
//! - What a device function returns has the type that its first use tells: `let f = flux(q, c);` is an array if the
//!   kernel goes on with `f[0]` or `let [a, b] = f;`. Constants and named constants have the type expected in their
//!   place, f64 if nothing tells: write `let far: [f64; 4] = c.free_stream;`. So has a value that `if` selects.
//! - An Inc or Sum parameter is only added to (`+=`, `-=`); a Write parameter is assigned in every component on
//!   every path; a Min or Max parameter is set to the element's candidate, whether it stands for a global or for a dat.
//!
//! Anything outside this subset is a compile error that points to it and says what to write instead.
//!
//! # What is generated
//!
//! `#[kernel] fn name` becomes a type `name` that implements `cfd_engine::kernel::Kernel` and a function `name`, by which
//! a loop is given its kernel: unlike a unit struct, it leaves its name to variables. `#[device] fn name` becomes a
//! function generic over the lane type and, in the namespace of types, a holder of its operation count `name::OPS`. One
//! `use` imports both.
//!
//! A kernel's type stands in a module of its own, since the compiler makes a unit of code of every module and of the
//! methods of its types: a kernel's loops are compiled beside those of others and apart from the code around them, and
//! compiled again only after a change of their own.

mod calls;
mod check;
mod constants;
mod copies;
mod emit_cuda;
mod emit_rust;
mod engine;
mod extent;
mod hygiene;
mod instances;
mod ir;
mod opposites;
mod ops;
mod parse;
mod tangent;
mod unroll;

use proc_macro::TokenStream;
use quote::quote;
use syn::{DeriveInput, ItemFn, parse_macro_input};

use instances::Arguments;
use ir::Function;
use parse::{Kind, Signature};

/// Turns a function into a kernel: a type that implements `cfd_engine::kernel::Kernel`, and a function that names it.
///
/// `#[kernel(scalar)]` is for loops over few elements, such as those on boundaries, and for loops that run once: the kernel is
/// compiled for one element at a time, not for lanes, which takes a fraction of the time. The bits are the same.
///
/// The crate's documentation says what the function may contain.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand(attribute, item, Kind::Kernel)
}

/// Turns a function into one that kernels and other device functions may call.
///
/// Arguments are `f64`, `i32`, `bool` and `[f64; N]` by value and, optionally, the constants `c: &Struct` at the end;
/// the body ends with the result.
///
/// `#[device(tangent)]` also declares the derivative in a direction, exact but for rounding: `flux(l, r, c)` gets
/// `flux_tangent(l, r, l_tangent, r_tangent, c)`. Functions that it calls need theirs. `#[device(tangent(l))]` takes a
/// tangent of `l` alone.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand(attribute, item, Kind::Device)
}

/// Marks a struct of `f64`, `[f64; N]` and `i32` fields as a kernel's constants.
#[proc_macro_derive(Constants)]
pub fn derive_constants(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    engine::resolved(constants::derive(&input).unwrap_or_else(syn::Error::into_compile_error)).into()
}

fn expand(attribute: TokenStream, item: TokenStream, kind: Kind) -> TokenStream {
    let item = parse_macro_input!(item as ItemFn);
    let arguments = parse_macro_input!(attribute as Arguments);
    match arguments.functions(item) {
        Ok(functions) => {
            if let (Some(word), Kind::Device) = (arguments.scalar(), kind) {
                let message =
                    "a device function is compiled wherever a kernel calls it; `scalar` is for kernels";
                return syn::Error::new(word.span(), message).into_compile_error().into();
            }
            let functions = functions.iter().map(|function| expand_function(function, kind, &arguments));
            let assertions = arguments.assertions();
            engine::resolved(quote!(#(#functions)* #assertions)).into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}

fn expand_function(item: &ItemFn, kind: Kind, arguments: &Arguments) -> proc_macro2::TokenStream {
    let signature = match Signature::parse(item, kind) {
        Ok(signature) => signature,
        Err(error) => return error.into_compile_error(),
    };
    let is_scalar = arguments.scalar().is_some();
    let parsed = parse::function(&signature, &item.block).and_then(checked);
    match parsed {
        Ok(function) => {
            let own = emit(&signature, Some(&function), kind, is_scalar);
            let Some(active) = arguments.tangent() else { return own };
            let derivative = match tangent::tangent(&signature, &function, active) {
                Ok((signature, function)) => emit(&signature, Some(&function), kind, is_scalar),
                Err(error) => error.into_compile_error(),
            };
            quote!(#own #derivative)
        }
        // The name stays declared, so that its uses are not reported as well.
        Err(error) => {
            let (errors, stub) = (error.into_compile_error(), emit(&signature, None, kind, is_scalar));
            quote!(#errors #stub)
        }
    }
}

fn emit(
    signature: &Signature,
    function: Option<&Function>,
    kind: Kind,
    is_scalar: bool,
) -> proc_macro2::TokenStream {
    let cuda = emit_cuda::source(signature, function);
    match kind {
        Kind::Kernel => emit_rust::kernel(signature, function, &cuda, is_scalar),
        Kind::Device => emit_rust::device(signature, function, &cuda),
    }
}

fn checked(function: Function) -> syn::Result<Function> {
    check::check(&function)?;
    Ok(function)
}
