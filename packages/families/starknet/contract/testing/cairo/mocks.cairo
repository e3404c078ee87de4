//! A token and an account that behave or misbehave as a scenario says.
use starknet::syscalls::call_contract_syscall;
use starknet::{ContractAddress, SyscallResultTrait};


#[starknet::contract]
pub mod MockToken {
    use starknet::storage::Map;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};

    #[storage]
    struct Storage {
        balances: Map<ContractAddress, u256>,
        allowances: Map<(ContractAddress, ContractAddress), u256>,
        fault: felt252,
        hook_to: ContractAddress,
        hook_selector: felt252,
        hook_length: u32,
        hook_calldata: Map<u32, felt252>,
    }

    #[external(v0)]
    fn fund(ref self: ContractState, spender: ContractAddress, amount: u256) {
        let party = get_caller_address();
        self.balances.write(party, self.balances.read(party) + amount);
        self.allowances.write((party, spender), amount);
    }

    #[external(v0)]
    fn balances_of(self: @ContractState, accounts: Array<ContractAddress>) -> Array<u256> {
        let mut balances = array![];
        for account in accounts {
            balances.append(self.balances.read(account));
        };
        balances
    }

    #[external(v0)]
    fn mint(ref self: ContractState, to: ContractAddress, amount: u256) {
        self.balances.write(to, self.balances.read(to) + amount);
    }

    /// 'false': answers false and moves nothing. 'fee': one unit less arrives. 'nothing': moves nothing but answers true.
    #[external(v0)]
    fn set_fault(ref self: ContractState, fault: felt252) {
        self.fault.write(fault);
    }

    /// The next transfer makes this call first. With the fault 'nothing', it then moves nothing.
    #[external(v0)]
    fn set_hook(ref self: ContractState, to: ContractAddress, selector: felt252, calldata: Array<felt252>) {
        self.hook_to.write(to);
        self.hook_selector.write(selector);
        self.hook_length.write(calldata.len());
        let mut index = 0;
        while index != calldata.len() {
            self.hook_calldata.write(index, *calldata[index]);
            index += 1;
        };
    }

    #[external(v0)]
    fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
        self.allowances.write((get_caller_address(), spender), amount);
        true
    }

    #[external(v0)]
    fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
        let sender = get_caller_address();
        move(ref self, sender, recipient, amount)
    }

    #[external(v0)]
    fn transfer_from(
        ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256,
    ) -> bool {
        let spender = get_caller_address();
        // The token may spend its own money: calls that it makes itself come without an approval.
        if sender != get_contract_address() {
            let allowance = self.allowances.read((sender, spender));
            assert(allowance >= amount, 'ERC20: insufficient allowance');
            self.allowances.write((sender, spender), allowance - amount);
        }
        move(ref self, sender, recipient, amount)
    }

    fn move(ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256) -> bool {
        let fault = self.fault.read();
        if self.hook_selector.read() != 0 {
            self.fault.write(0);
            let mut calldata = array![];
            let mut index = 0;
            while index != self.hook_length.read() {
                calldata.append(self.hook_calldata.read(index));
                index += 1;
            };
            let selector = self.hook_selector.read();
            self.hook_selector.write(0);
            super::make_call(self.hook_to.read(), selector, calldata);
        }
        if fault == 'false' {
            return false;
        }
        if fault == 'nothing' {
            return true;
        }
        let balance = self.balances.read(sender);
        assert(balance >= amount, 'ERC20: insufficient balance');
        self.balances.write(sender, balance - amount);
        let fee = if fault == 'fee' {
            1
        } else {
            0
        };
        self.balances.write(recipient, self.balances.read(recipient) + amount - fee);
        true
    }
}

pub fn make_call(to: ContractAddress, selector: felt252, calldata: Array<felt252>) {
    call_contract_syscall(to, selector, calldata.span()).unwrap_syscall();
}

#[starknet::contract]
pub mod MockAccount {
    use starknet::ContractAddress;

    #[storage]
    struct Storage {}

    /// The signature says what to do: ['answer', x] answers x. ['digest', x] answers 'VALID' if x was to be signed, else 0.
    /// ['panic'] panics. ['call', to, selector, calldata…] makes a call and answers 'VALID'.
    #[external(v0)]
    fn is_valid_signature(ref self: ContractState, hash: felt252, signature: Array<felt252>) -> felt252 {
        let todo = *signature[0];
        assert(todo != 'panic', 'account: no');
        if todo == 'answer' {
            return *signature[1];
        }
        if todo == 'digest' {
            return if hash == *signature[1] {
                'VALID'
            } else {
                0
            };
        }
        let mut calldata = array![];
        let mut index = 3;
        while index != signature.len() {
            calldata.append(*signature[index]);
            index += 1;
        };
        let to: ContractAddress = (*signature[1]).try_into().unwrap();
        super::make_call(to, *signature[2], calldata);
        'VALID'
    }
}
