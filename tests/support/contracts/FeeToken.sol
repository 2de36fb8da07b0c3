// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import "./Token.sol";

/// Keeps a tenth of every transfer but logs the whole.
contract FeeToken is Token {
    constructor() Token("FEE", 18) {}

    function move(address from, address to, uint256 value) internal override {
        require(balanceOf[from] >= value, "balance exceeded");
        balanceOf[from] -= value;
        balanceOf[to] += value - value / 10;
        totalSupply -= value / 10;
        emit Transfer(from, to, value);
    }
}
