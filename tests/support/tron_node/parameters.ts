/** The network's parameters by their names in getchainparameters. Not bound to a block. */
export interface ChainParameters {
  readonly getMaintenanceTimeInterval: bigint;
  readonly getCreateAccountFee: bigint;
  readonly getTransactionFee: bigint;
  readonly getCreateNewAccountFeeInSystemContract: bigint;
  readonly getCreateNewAccountBandwidthRate: bigint;
  readonly getEnergyFee: bigint;
  readonly getMaxFeeLimit: bigint;
  readonly getMultiSignFee: bigint;
  readonly getUpdateAccountPermissionFee: bigint;
  readonly getMemoFee: bigint;
  readonly getFreeNetLimit: bigint;
  readonly getTotalNetLimit: bigint;
  readonly getTotalEnergyCurrentLimit: bigint;
  readonly getForbidTransferToContract: bigint;
  readonly getAllowTvmCompatibleEvm: bigint;
  readonly getAllowMultiSign: bigint;
  readonly getAllowDynamicEnergy: bigint;
  readonly getDynamicEnergyThreshold: bigint;
  readonly getDynamicEnergyIncreaseFactor: bigint;
  readonly getDynamicEnergyMaxFactor: bigint;
}

export const MAINNET_LIKE: ChainParameters = {
  getMaintenanceTimeInterval: 21_600_000n,
  getCreateAccountFee: 100_000n,
  getTransactionFee: 1_000n,
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
  getCreateNewAccountBandwidthRate: 1n,
  getEnergyFee: 100n,
  getMaxFeeLimit: 15_000_000_000n,
  getMultiSignFee: 1_000_000n,
  getUpdateAccountPermissionFee: 100_000_000n,
  getMemoFee: 1_000_000n,
  getFreeNetLimit: 600n,
  getTotalNetLimit: 43_200_000_000n,
  getTotalEnergyCurrentLimit: 180_000_000_000n,
  getForbidTransferToContract: 0n,
  getAllowTvmCompatibleEvm: 1n,
  getAllowMultiSign: 1n,
  getAllowDynamicEnergy: 1n,
  getDynamicEnergyThreshold: 5_000_000_000n,
  getDynamicEnergyIncreaseFactor: 2_000n,
  getDynamicEnergyMaxFactor: 34_000n,
};
