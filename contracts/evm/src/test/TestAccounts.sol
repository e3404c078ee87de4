// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A contract account that approves by ERC-1271 what it was told to approve, and can act for its owner.
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

/// @title Answers every ERC-1271 question with something that merely resembles an approval.
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

/// @title Refuses native coin until it is told to accept it.
contract RejectingAccount {
    bool private _accepting;

    receive() external payable {
        require(_accepting, "rejected");
    }

    function setAccepting(bool accepting) external {
        _accepting = accepting;
    }
}

/// @title Tries, while being paid native coin, a call of the attacker's choice.
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

    /// @param value What the call sends along, out of what was received.
    function arm(address target, bytes calldata data, uint256 value) external {
        (_target, _data, _value, attempted) = (target, data, value, false);
    }
}
