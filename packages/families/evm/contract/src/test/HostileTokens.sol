// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Returns nothing from transfers, as some of the most used tokens do.
contract NoReturnToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) public virtual {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// @title Changes an allowance only to and from zero, and returns nothing, as Tether does on Ethereum.
contract StubbornToken is NoReturnToken {
    function approve(address spender, uint256 value) public override {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        super.approve(spender, value);
    }
}

/// @title Returns false instead of reverting, and moves nothing, once it is switched to failing.
contract FalseReturnToken is TestToken("False return", "FALSE", 18) {
    bool public failing;

    function setFailing(bool failing_) external {
        failing = failing_;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return failing ? false : super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return failing ? false : super.transferFrom(from, to, value);
    }
}

/// @title Answers true to every transfer and moves nothing.
contract LyingToken is TestToken("Lying", "LIE", 18) {
    function transfer(address, uint256) public pure override returns (bool) {
        return true;
    }

    function transferFrom(address, address, uint256) public pure override returns (bool) {
        return true;
    }
}

/// @title Burns one percent of every transfer.
contract FeeToken is TestToken("Fee on transfer", "FEE", 18) {
    function _move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super._move(from, to, value - fee);
        if (fee != 0) super._move(from, address(0xdead), fee);
    }
}

/// @title Refuses to move money to or from accounts on a list.
contract BlacklistToken is TestToken("Blacklisting", "BLACK", 18) {
    error Blacklisted(address account);

    mapping(address account => bool) public blacklisted;

    function setBlacklisted(address account, bool blacklisted_) external {
        blacklisted[account] = blacklisted_;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (blacklisted[to]) revert Blacklisted(to);
        if (blacklisted[from]) revert Blacklisted(from);
        super._move(from, to, value);
    }
}

/// @title Makes a call of the attacker's choice in the middle of one transfer, which it then delivers only in part.
contract ReentrantToken is TestToken("Reentrant", "REENTER", 18) {
    address private _target;
    bytes private _data;
    uint256 private _withheld;
    bool public callSucceeded;

    /// @param withheld The part of the next transfer that does not reach its recipient.
    function arm(address target, bytes calldata data, uint256 withheld) external {
        (_target, _data, _withheld) = (target, data, withheld);
    }

    function _move(address from, address to, uint256 value) internal override {
        address target = _target;
        if (target == address(0)) return super._move(from, to, value);
        _target = address(0);
        (callSucceeded,) = target.call(_data);
        super._move(from, to, value - _withheld);
    }
}

/// @title Takes every call that it does not know for a payment, and lets a stranger's code run in it.
contract ObligingToken is TestToken("Obliging", "OBLIGE", 18) {
    address private _target;
    bytes private _data;
    bool public callSucceeded;

    fallback() external {
        address target = _target;
        if (target == address(0)) return;
        _target = address(0);
        (callSucceeded,) = target.call(_data);
    }

    function arm(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }
}

/// @title Lets a stranger's code run in one transfer that it answers with true, and moves nothing then.
contract DistractedToken is TestToken("Distracted", "DISTRACT", 18) {
    address private _target;
    bytes private _data;
    bool public callSucceeded;

    function arm(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        address target = _target;
        if (target == address(0)) return super.transfer(to, value);
        _target = address(0);
        (callSucceeded,) = target.call(_data);
        return true;
    }
}

/// @title Leaves one unit behind when an account sends all that it has, as tokens do that count in shares.
contract RoundingToken is TestToken("Rounding", "ROUND", 18) {
    function transfer(address to, uint256 value) public override returns (bool) {
        return super.transfer(to, value == balanceOf[msg.sender] ? value - 1 : value);
    }
}

/// @title Changes all balances at once, as tokens do that pay interest or follow a price.
contract RebasingToken {
    uint256 private constant WHOLE = 100;

    mapping(address account => uint256) private _shares;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    uint256 private _percent = WHOLE;

    function rebase(uint256 percent) external {
        _percent = percent;
    }

    function balanceOf(address account) public view returns (uint256) {
        return (_shares[account] * _percent) / WHOLE;
    }

    function mint(address to, uint256 value) external {
        _shares[to] += (value * WHOLE) / _percent;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        _shares[msg.sender] -= (value * WHOLE) / _percent;
        _shares[to] += (value * WHOLE) / _percent;
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _shares[from] -= (value * WHOLE) / _percent;
        _shares[to] += (value * WHOLE) / _percent;
        return true;
    }
}
