// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// What AggregatorV3Interface of Chainlink answers, set by the test.
contract Aggregator {
    uint8 public decimals;
    string public description = "ETH / USD";
    uint256 public version = 4;
    uint80 private roundId;
    int256 private answer;
    uint256 private updatedAt;
    uint80 private answeredInRound;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function set(uint80 roundId_, int256 answer_, uint256 updatedAt_, uint80 answeredInRound_) external {
        (roundId, answer, updatedAt, answeredInRound) = (roundId_, answer_, updatedAt_, answeredInRound_);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(roundId != 999, "No data present");
        return (roundId, answer, updatedAt, updatedAt, answeredInRound);
    }
}
