pub mod errors;
pub mod htlc;
pub mod interfaces;
pub mod orders;
pub mod snip12;
pub mod transfers;
