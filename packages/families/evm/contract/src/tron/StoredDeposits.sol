// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Deposits} from "../Deposits.sol";

/// @title Deposit addresses in Tron's virtual machine.
/// @dev The task of an account lies in storage: each network votes on transient storage on its own. It is never cleared,
/// because writing over a used slot costs a quarter of writing to an empty one, and Tron pays nothing back.
/// Order ids are hashes, so no order uses these slots.
abstract contract StoredDeposits is Deposits {
    /// @notice CREATE2 gives addresses by a rule that this contract does not know.
    error HTLC__UnknownAddressRule();

    /// EIP-1014 has 0xff, and Tron's virtual machine 0x41, the first byte of its addresses.
    bytes1 private immutable _create2Prefix;

    uint256 private _who;
    uint256 private _what;

    /// @dev Finds the rule out by creating a contract without code.
    constructor() {
        address created;
        assembly ("memory-safe") {
            created := and(create2(0, 0, 0, 0), 0xffffffffffffffffffffffffffffffffffffffff)
        }
        bytes32 codeHash = keccak256("");
        bool isTron = created == _create2AddressWith(0x41, 0, codeHash);
        if (!isTron && created != _create2AddressWith(0xff, 0, codeHash)) revert HTLC__UnknownAddressRule();
        _create2Prefix = isTron ? bytes1(0x41) : bytes1(0xff);
    }

    function _giveTask(uint256 who, uint256 what) internal override {
        (_who, _what) = (who, what);
    }

    function _task() internal view override returns (uint256 who, uint256 what) {
        return (_who, _what);
    }

    function _create2Address(bytes32 salt, bytes32 codeHash) internal view override returns (address) {
        return _create2AddressWith(_create2Prefix, salt, codeHash);
    }
}
