// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @title Answers as Tether does on Tron: false to a transfer that it has made, true to a transferFrom.
/// @dev A test may make it answer one thing and do the other.
contract TetherTron is TestToken {
    /// 0 is honest, but for the answer of transfer. For the other modes see `setMode`.
    uint256 private _mode;
    mapping(address account => bool) private _refused;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    /// 1 moves nothing and answers true. 2 moves nothing and answers false. 3 keeps one unit of each transfer.
    /// 4 answers false to a transferFrom that it has made.
    function setMode(uint256 mode) external {
        _mode = mode;
    }

    function setRefused(address account, bool refused) external {
        _refused[account] = refused;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        require(!_refused[to], "refused");
        if (_mode == 1 || _mode == 2) return _mode == 1;
        _move(msg.sender, to, _mode == 3 ? value - 1 : value);
        if (_mode == 3) _move(msg.sender, address(this), 1);
        return false;
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (_mode == 1 || _mode == 2) return _mode == 1;
        _spendAllowance(from, value);
        _move(from, to, _mode == 3 ? value - 1 : value);
        return _mode != 4;
    }
}
