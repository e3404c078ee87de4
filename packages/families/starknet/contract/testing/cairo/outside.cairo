//! An account that takes outside executions (SNIP-9, version 2), and what they do with this contract. The checks and their order are those of
//! OpenZeppelin's SRC9. A signature is the digest that was to be signed.
use core::poseidon::poseidon_hash_span;
use crate::htlc::Htlc;
use crate::interfaces::{IHtlcDispatcher, IHtlcDispatcherTrait};
use crate::tests::mocks::MockToken;
use crate::tests::player::deploy;
use starknet::account::Call;
use starknet::syscalls::call_contract_syscall;
use starknet::testing::{set_block_timestamp, set_chain_id, set_contract_address};
use starknet::{ContractAddress, SyscallResult, SyscallResultTrait, get_tx_info};

#[derive(Copy, Drop, Serde)]
pub struct OutsideExecution {
    pub caller: ContractAddress,
    pub nonce: felt252,
    pub execute_after: u64,
    pub execute_before: u64,
    pub calls: Span<Call>,
}

pub fn outside_digest(account: ContractAddress, execution: OutsideExecution) -> felt252 {
    let domain = array![
        selector!(
            "\"StarknetDomain\"(\"name\":\"shortstring\",\"version\":\"shortstring\",\"chainId\":\"shortstring\",\"revision\":\"shortstring\")",
        ),
        'Account.execute_from_outside', 2, get_tx_info().unbox().chain_id, 1,
    ];
    let mut calls = array![];
    for call in execution
        .calls {
            let Call { to, selector, calldata } = *call;
            let hashed = array![
                selector!("\"Call\"(\"To\":\"ContractAddress\",\"Selector\":\"selector\",\"Calldata\":\"felt*\")"),
                to.into(), selector, poseidon_hash_span(calldata),
            ];
            calls.append(poseidon_hash_span(hashed.span()));
        };
    let message = array![
        selector!(
            "\"OutsideExecution\"(\"Caller\":\"ContractAddress\",\"Nonce\":\"felt\",\"Execute After\":\"u128\",\"Execute Before\":\"u128\",\"Calls\":\"Call*\")\"Call\"(\"To\":\"ContractAddress\",\"Selector\":\"selector\",\"Calldata\":\"felt*\")",
        ),
        execution.caller.into(), execution.nonce, execution.execute_after.into(), execution.execute_before.into(),
        poseidon_hash_span(calls.span()),
    ];
    poseidon_hash_span(
        array![
            'StarkNet Message', poseidon_hash_span(domain.span()), account.into(), poseidon_hash_span(message.span()),
        ]
            .span(),
    )
}

#[starknet::contract]
pub mod OutsideAccount {
    use starknet::account::Call;
    use starknet::storage::Map;
    use starknet::syscalls::call_contract_syscall;
    use starknet::{SyscallResultTrait, get_block_timestamp, get_caller_address, get_contract_address};
    use super::{OutsideExecution, outside_digest};

    #[storage]
    struct Storage {
        used: Map<felt252, bool>,
    }

    #[external(v0)]
    fn execute_from_outside_v2(
        ref self: ContractState, outside_execution: OutsideExecution, signature: Span<felt252>,
    ) -> Array<Span<felt252>> {
        let OutsideExecution { caller, nonce, execute_after, execute_before, calls } = outside_execution;
        assert(caller.into() == 'ANY_CALLER' || caller == get_caller_address(), 'SRC9: invalid caller');
        let now = get_block_timestamp();
        assert(execute_after < now, 'SRC9: now <= execute_after');
        assert(now < execute_before, 'SRC9: now >= execute_before');
        assert(!self.used.read(nonce), 'SRC9: duplicated nonce');
        self.used.write(nonce, true);
        let digest = outside_digest(get_contract_address(), outside_execution);
        assert(signature == array![digest].span(), 'SRC9: invalid signature');
        let mut answers = array![];
        for call in calls {
            let Call { to, selector, calldata } = *call;
            answers.append(call_contract_syscall(to, selector, calldata).unwrap_syscall());
        };
        answers
    }

    #[external(v0)]
    fn is_valid_outside_execution_nonce(self: @ContractState, nonce: felt252) -> bool {
        !self.used.read(nonce)
    }
}

const NOW: u64 = 1_700_000_000;
const BEFORE: u64 = 1_700_003_600;
const RELAY: felt252 = 0x4e1a;
const BOB: felt252 = 0xb0b;
const AMOUNT: felt252 = 700;

#[derive(Copy, Drop)]
struct Stage {
    token: ContractAddress,
    htlc: ContractAddress,
    account: ContractAddress,
    order_id: felt252,
}

/// The account holds `balance` and has approved nothing.
fn stage(balance: felt252) -> Stage {
    set_chain_id('SN_SEPOLIA');
    let token = deploy(MockToken::TEST_CLASS_HASH, array![]);
    let htlc = deploy(Htlc::TEST_CLASS_HASH, array![token.into()]);
    let account = deploy(OutsideAccount::TEST_CLASS_HASH, array![]);
    call_contract_syscall(token, selector!("mint"), array![account.into(), balance, 0].span()).unwrap_syscall();
    let order_id = IHtlcDispatcher { contract_address: htlc }
        .order_id(account, BOB.try_into().unwrap(), 1000, AMOUNT.into(), [1, 2, 3, 4, 5, 6, 7, 8]);
    Stage { token, htlc, account, order_id }
}

fn execution(stage: Stage) -> OutsideExecution {
    let approve = Call {
        to: stage.token, selector: selector!("approve"), calldata: array![stage.htlc.into(), AMOUNT, 0].span(),
    };
    let initiate = Call {
        to: stage.htlc,
        selector: selector!("initiate"),
        calldata: array![BOB, 1000, AMOUNT, 0, 1, 2, 3, 4, 5, 6, 7, 8].span(),
    };
    OutsideExecution {
        caller: RELAY.try_into().unwrap(),
        nonce: stage.order_id,
        execute_after: 0,
        execute_before: BEFORE,
        calls: array![approve, initiate].span(),
    }
}

fn signed(stage: Stage, execution: OutsideExecution) -> felt252 {
    outside_digest(stage.account, execution)
}

fn sent(
    stage: Stage, execution: OutsideExecution, signature: felt252, caller: felt252, now: u64,
) -> SyscallResult<Span<felt252>> {
    set_block_timestamp(now);
    set_contract_address(caller.try_into().unwrap());
    let mut calldata = array![];
    execution.serialize(ref calldata);
    array![signature].serialize(ref calldata);
    call_contract_syscall(stage.account, selector!("execute_from_outside_v2"), calldata.span())
}

fn expect_refused(result: SyscallResult<Span<felt252>>, reason: felt252) {
    assert(*result.unwrap_err()[0] == reason, reason);
}

fn expect_balances(stage: Stage, account: felt252, htlc: felt252) {
    let asked = array![2, stage.account.into(), stage.htlc.into()];
    let answer = call_contract_syscall(stage.token, selector!("balances_of"), asked.span()).unwrap_syscall();
    assert(answer == array![2, account, 0, htlc, 0].span(), 'balances');
}

fn expect_no_allowance(stage: Stage) {
    set_contract_address(stage.htlc);
    let pull = array![stage.account.into(), stage.htlc.into(), 1, 0];
    expect_refused(
        call_contract_syscall(stage.token, selector!("transfer_from"), pull.span()), 'ERC20: insufficient allowance',
    );
}

#[test]
fn an_outside_execution_approves_and_initiates_once() {
    let stage = stage(AMOUNT + 1);
    let execution = execution(stage);
    let signature = signed(stage, execution);
    sent(stage, execution, signature, RELAY, NOW).unwrap_syscall();
    let htlc = IHtlcDispatcher { contract_address: stage.htlc };
    assert(htlc.initiated_at(stage.order_id) == NOW, 'initiated');
    expect_balances(stage, 1, AMOUNT);
    expect_no_allowance(stage);
    expect_refused(sent(stage, execution, signature, RELAY, NOW), 'SRC9: duplicated nonce');
    expect_balances(stage, 1, AMOUNT);
}

#[test]
fn an_outside_execution_is_for_its_caller_and_its_time() {
    let stage = stage(AMOUNT);
    let execution = execution(stage);
    let signature = signed(stage, execution);
    expect_refused(sent(stage, execution, signature, BOB, NOW), 'SRC9: invalid caller');
    expect_refused(sent(stage, execution, signature, RELAY, BEFORE), 'SRC9: now >= execute_before');
    expect_balances(stage, AMOUNT, 0);
    sent(stage, execution, signature, RELAY, BEFORE - 1).unwrap_syscall();
    expect_balances(stage, 0, AMOUNT);
}

#[test]
fn an_outside_execution_fails_as_a_whole() {
    let stage = stage(AMOUNT - 1);
    let execution = execution(stage);
    expect_refused(sent(stage, execution, signed(stage, execution), RELAY, NOW), 'ERC20: insufficient balance');
    expect_balances(stage, AMOUNT - 1, 0);
    expect_no_allowance(stage);
}
