//! Everything that the contract panics with. A token's own panic is passed on as it is.

pub const ZERO_TOKEN: felt252 = 'HTLC: zero token';
pub const ZERO_INITIATOR: felt252 = 'HTLC: zero initiator';
pub const ZERO_REDEEMER: felt252 = 'HTLC: zero redeemer';
pub const SAME_PARTIES: felt252 = 'HTLC: same parties';
/// The contract can neither redeem nor be refunded: the money would stay for ever.
pub const PARTY_IS_CONTRACT: felt252 = 'HTLC: party is the contract';
/// Zero, or longer than 30 days.
pub const INVALID_TIMELOCK: felt252 = 'HTLC: invalid timelock';
pub const ZERO_AMOUNT: felt252 = 'HTLC: zero amount';
/// An order with exactly these terms exists or existed.
pub const DUPLICATE_ORDER: felt252 = 'HTLC: duplicate order';
/// No order has these terms; a wrong secret is the usual reason.
pub const ORDER_NOT_INITIATED: felt252 = 'HTLC: order not initiated';
/// The order was redeemed or refunded before.
pub const ORDER_SETTLED: felt252 = 'HTLC: order settled';
pub const ORDER_NOT_EXPIRED: felt252 = 'HTLC: order not expired';
/// The account that had to sign did not answer that the signature is valid.
pub const INVALID_SIGNATURE: felt252 = 'HTLC: invalid signature';
/// The token answered false.
pub const TRANSFER_FAILED: felt252 = 'HTLC: transfer failed';
/// The balance of the contract grew by less than the amount of the order.
pub const AMOUNT_NOT_RECEIVED: felt252 = 'HTLC: amount not received';
/// The token or the payer initiated an order while another one was being paid for.
pub const REENTRANT_INITIATION: felt252 = 'HTLC: reentrant initiation';
