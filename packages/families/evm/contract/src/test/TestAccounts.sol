// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A contract account that approves by ERC-1271 each digest that a test has set, and can act for its owner.
contract ContractAccount {
    mapping(bytes32 digest => bytes32) private _approved;

    receive() external payable {}

    /// @dev Binds the approval to one signature, so that a test notices when another is passed on.
    function approveDigest(bytes32 digest, bytes calldata signature) external {
        _approved[digest] = keccak256(signature);
    }

    function execute(address target, bytes calldata data) external payable {
        (bool success,) = target.call{value: msg.value}(data);
        require(success, "call failed");
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _approved[digest] == keccak256(signature) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// @title Makes several calls in one transaction, as a batch payout does. A call that fails stops no other.
contract BatchAccount {
    /// @dev Without a target, `data` is the code of a contract that is created.
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    /// @param reason The first four bytes of what the call reverted with.
    event Ran(bool success, bytes4 reason);

    receive() external payable {}

    function run(Call[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool success, bytes memory answer) = calls[i].target == address(0)
                ? _create(calls[i].data)
                : calls[i].target.call{value: calls[i].value}(calls[i].data);
            emit Ran(success, success ? bytes4(0) : bytes4(answer));
        }
    }

    function _create(bytes memory code) private returns (bool success, bytes memory answer) {
        address created;
        assembly ("memory-safe") {
            created := create(0, add(code, 32), mload(code))
            answer := mload(0x40)
            mstore(answer, returndatasize())
            returndatacopy(add(answer, 32), 0, returndatasize())
            mstore(0x40, add(add(answer, 32), returndatasize()))
        }
        return (created != address(0), answer);
    }
}

/// @title Answers every ERC-1271 call with bytes that a test has set.
contract MalformedAccount {
    bytes private _answer;

    function setAnswer(bytes calldata answer) external {
        _answer = answer;
    }

    fallback() external {
        bytes memory answer = _answer;
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}

/// @title Refuses native coin until a test switches it to accept.
contract RejectingAccount {
    bool private _accepting;

    receive() external payable {
        require(_accepting, "rejected");
    }

    function setAccepting(bool accepting) external {
        _accepting = accepting;
    }
}

/// @title Makes a call of the attacker's choice while it is paid native coin.
contract ReentrantAccount {
    address private _target;
    bytes private _data;
    uint256 private _value;
    bool public attempted;
    bool public callSucceeded;

    receive() external payable {
        attempted = true;
        (callSucceeded,) = _target.call{value: _value}(_data);
    }

    /// @param value The coin that the call sends along, out of the received payment.
    function arm(address target, bytes calldata data, uint256 value) external {
        (_target, _data, _value, attempted) = (target, data, value, false);
    }
}

/// @title Takes native coin wherever it can tell that nothing is at stake, and burns all gas in a real payout.
/// @dev Each trick is a way to tell a simulation of the payout from the transaction that makes it.
contract TwoFacedAccount {
    enum Trick {
        NONE,
        /// The simulation calls this account directly, or without a gas price.
        ORIGIN,
        /// The simulation offers more gas than the transaction has.
        GAS,
        /// The simulation runs other code in place of the HTLC.
        CODE,
        /// The order is still open in the simulation.
        STATE,
        /// The slot of the order was not touched in the simulation, so reading it costs more.
        ACCESS,
        /// The simulation offers one gas price, a transaction a tip above the base fee.
        PRICE
    }

    Trick private _trick;
    uint256 private _minGas;
    uint256 private _minPrice;
    bytes32 private _orderId;
    bytes32 private _htlcCode;

    receive() external payable {
        if (_isReal(gasleft())) while (true) {}
    }

    function arm(Trick trick, address htlc, bytes32 orderId, uint256 minGas, uint256 minPrice) external {
        (_trick, _orderId, _minGas, _minPrice, _htlcCode) = (trick, orderId, minGas, minPrice, htlc.codehash);
    }

    function _isReal(uint256 gasLeft) private view returns (bool) {
        Trick trick = _trick;
        if (trick == Trick.NONE) return false;
        if (tx.origin == msg.sender || tx.gasprice == 0) return false;
        if (trick == Trick.GAS) return gasLeft < _minGas;
        if (trick == Trick.PRICE) return tx.gasprice < _minPrice;
        if (trick == Trick.CODE) return msg.sender.codehash == _htlcCode;
        if (trick == Trick.ORIGIN) return true;
        bytes memory data = abi.encodeWithSignature("initiatedAt(bytes32)", _orderId);
        uint256 before = gasleft();
        (, bytes memory answer) = msg.sender.staticcall(data);
        uint256 used = before - gasleft();
        return trick == Trick.ACCESS ? used < 2_500 : abi.decode(answer, (uint256)) == 1;
    }
}
