//! Plays a scenario on the VM. A scenario is a list of felts, which encode.ts makes:
//!
//! CALL    timestamp caller to selector length calldata… error    error 0: it succeeds. Otherwise the first felt of its panic
//! SKIP    timestamp caller to selector length calldata… error    reads a CALL, and does not make it: the difference is what the call costs
//! ORDER   thirteen felts of an order                              from here on `@id` is the id of this order
//! ANSWER  to selector length calldata… length answer…             what a view answers
//! EVENT   length keys… length data…                               the oldest event of the contract that was not looked at
//! QUIET                                                           no other event was emitted
//! DIGEST  initiate|refund, chain id, thirteen felts of an order   from here on `@digest` is what its party has to sign
//! CHAIN   chain id                                                from here on
//!
//! Names of contracts stand for their addresses: `@htlc`, `@token`, `@account`.
use crate::orders::{Order, order_id};
use crate::snip12::{domain_name, initiate_digest, refund_digest};
use crate::tests::mocks::{MockAccount, MockToken};
use starknet::syscalls::{call_contract_syscall, deploy_syscall};
use starknet::testing::{pop_log_raw, set_block_timestamp, set_chain_id, set_contract_address};
use starknet::{ClassHash, ContractAddress, SyscallResultTrait};

const DEPLOYED_CHAIN: felt252 = 'SN_SEPOLIA';

#[derive(Copy, Drop)]
struct Stage {
    htlc: ContractAddress,
    token: ContractAddress,
    account: ContractAddress,
    order_id: felt252,
    digest: felt252,
    chain_id: felt252,
}

/// The number of the step that went wrong, counted from 1, and what was found instead. None: all is as it should be.
pub fn play(class: felt252, scenario: Span<felt252>) -> Option<(u32, Span<felt252>)> {
    set_chain_id(DEPLOYED_CHAIN);
    let token = deploy(MockToken::TEST_CLASS_HASH, array![]);
    let mut stage = Stage {
        htlc: deploy(class, array![token.into()]),
        token,
        account: deploy(MockAccount::TEST_CLASS_HASH, array![]),
        order_id: 0,
        digest: 0,
        chain_id: DEPLOYED_CHAIN,
    };
    let mut rest = scenario;
    let mut step = 0;
    let mut fault = Option::None;
    while rest.len() != 0 && fault.is_none() {
        step += 1;
        if let Option::Some(found) = play_step(ref stage, ref rest) {
            fault = Option::Some((step, found));
        }
    };
    fault
}

/// Panics with the number of the step that went wrong, and with what was found.
pub fn expect_played(fault: Option<(u32, Span<felt252>)>) {
    if let Option::Some((step, found)) = fault {
        let mut panic_data = array!['step', step.into()];
        panic_data.append_span(found);
        panic(panic_data);
    }
}

pub fn deploy(class: felt252, calldata: Array<felt252>) -> ContractAddress {
    let class: ClassHash = class.try_into().unwrap();
    let (address, _) = deploy_syscall(class, 0, calldata.span(), false).unwrap_syscall();
    address
}

fn play_step(ref stage: Stage, ref rest: Span<felt252>) -> Option<Span<felt252>> {
    let kind = take(ref rest);
    if kind == 'CALL' || kind == 'SKIP' {
        set_block_timestamp(take(ref rest).try_into().unwrap());
        set_contract_address(address(@stage, take(ref rest)));
        let (to, selector, calldata) = take_call(@stage, ref rest);
        let expected = take(ref rest);
        if kind == 'SKIP' {
            return Option::None;
        }
        return match call_contract_syscall(to, selector, calldata) {
            Result::Ok(_) => differs(array![0].span(), array![expected].span()),
            Result::Err(panic) => differs(panic.span().slice(0, 1), array![expected].span()),
        };
    }
    if kind == 'ORDER' {
        let order = take_order(@stage, ref rest);
        stage.order_id = order_id(DEPLOYED_CHAIN, stage.htlc, order);
        return Option::None;
    }
    if kind == 'ANSWER' {
        let (to, selector, calldata) = take_call(@stage, ref rest);
        let found = call_contract_syscall(to, selector, calldata).unwrap_syscall();
        return differs(found, resolve(@stage, take_list(ref rest)));
    }
    if kind == 'EVENT' {
        let expected_keys = resolve(@stage, take_list(ref rest));
        let expected_data = resolve(@stage, take_list(ref rest));
        return match pop_log_raw(stage.htlc) {
            Option::Some((
                keys, data,
            )) => if differs(keys, expected_keys).is_some() {
                Option::Some(keys)
            } else {
                differs(data, expected_data)
            },
            Option::None => Option::Some(array!['no event'].span()),
        };
    }
    if kind == 'DIGEST' {
        let what = take(ref rest);
        set_chain_id(take(ref rest));
        let order = take_order(@stage, ref rest);
        let name = domain_name(stage.htlc);
        stage
            .digest =
                if what == 'initiate' {
                    initiate_digest(name, order)
                } else {
                    refund_digest(name, order.redeemer, order_id(DEPLOYED_CHAIN, stage.htlc, order))
                };
        set_chain_id(stage.chain_id);
        return Option::None;
    }
    if kind == 'CHAIN' {
        stage.chain_id = take(ref rest);
        set_chain_id(stage.chain_id);
        return Option::None;
    }
    assert(kind == 'QUIET', 'unknown step');
    match pop_log_raw(stage.htlc) {
        Option::Some((keys, _)) => Option::Some(keys),
        Option::None => Option::None,
    }
}

fn take_call(stage: @Stage, ref rest: Span<felt252>) -> (ContractAddress, felt252, Span<felt252>) {
    (address(stage, take(ref rest)), take(ref rest), resolve(stage, take_list(ref rest)))
}

fn take(ref rest: Span<felt252>) -> felt252 {
    *rest.pop_front().unwrap()
}

fn take_list(ref rest: Span<felt252>) -> Span<felt252> {
    let length: u32 = take(ref rest).try_into().unwrap();
    let list = rest.slice(0, length);
    rest = rest.slice(length, rest.len() - length);
    list
}

fn take_order(stage: @Stage, ref rest: Span<felt252>) -> Order {
    let mut terms = resolve(stage, rest.slice(0, 13));
    rest = rest.slice(13, rest.len() - 13);
    Order {
        initiator: Serde::deserialize(ref terms).unwrap(),
        redeemer: Serde::deserialize(ref terms).unwrap(),
        timelock: Serde::deserialize(ref terms).unwrap(),
        amount: Serde::deserialize(ref terms).unwrap(),
        secret_hash: Serde::deserialize(ref terms).unwrap(),
    }
}

fn resolve(stage: @Stage, felts: Span<felt252>) -> Span<felt252> {
    let mut resolved = array![];
    for value in felts {
        resolved.append(resolve_one(stage, *value));
    };
    resolved.span()
}

fn resolve_one(stage: @Stage, value: felt252) -> felt252 {
    if value == '@htlc' {
        return (*stage.htlc).into();
    }
    if value == '@token' {
        return (*stage.token).into();
    }
    if value == '@account' {
        return (*stage.account).into();
    }
    if value == '@digest' {
        return *stage.digest;
    }
    if value == '@id' {
        return *stage.order_id;
    }
    value
}

fn address(stage: @Stage, value: felt252) -> ContractAddress {
    resolve_one(stage, value).try_into().unwrap()
}

fn differs(found: Span<felt252>, expected: Span<felt252>) -> Option<Span<felt252>> {
    if found == expected {
        Option::None
    } else {
        Option::Some(found)
    }
}
