// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Needs more gas than a plain payment has.
contract Hungry {
    uint256 public count;

    receive() external payable {
        count++;
    }
}
