//! The `#[kernel]` attribute macro.

use proc_macro::TokenStream;

/// Turns a function into a kernel.
#[proc_macro_attribute]
pub fn kernel(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Turns a function into one that kernels may call.
#[proc_macro_attribute]
pub fn device(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Marks a struct as a kernel's constants.
#[proc_macro_derive(Constants)]
pub fn constants(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
