// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Takes coins, and burns so much gas for each payment; at will only where gas has a price, as on the chain.
contract Burner {
    uint256 private immutable wanted;
    bool private immutable onlyPriced;

    constructor(uint256 wanted_, bool onlyPriced_) {
        wanted = wanted_;
        onlyPriced = onlyPriced_;
    }

    receive() external payable {
        if (onlyPriced && tx.gasprice == 0) return;
        uint256 start = gasleft();
        uint256 rounds = 0;
        while (start - gasleft() < wanted) rounds++;
    }
}
