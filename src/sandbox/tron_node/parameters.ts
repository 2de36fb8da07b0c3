/** By their names in getchainparameters. Not bound to a block. */
export type ChainParameters = {
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
  readonly getUnfreezeDelayDays: bigint;
  readonly getForbidTransferToContract: bigint;
  readonly getAllowTvmCompatibleEvm: bigint;
  readonly getAllowMultiSign: bigint;
  readonly getAllowDynamicEnergy: bigint;
  readonly getDynamicEnergyThreshold: bigint;
  readonly getDynamicEnergyIncreaseFactor: bigint;
  readonly getDynamicEnergyMaxFactor: bigint;
};

interface PricePoint {
  readonly sinceMs: number;
  readonly price: bigint;
}

/** What the network's parameters are, and what they were where a price came from them. */
export class Prices {
  now: ChainParameters = MAINNET_LIKE;
  readonly energy: PricePoint[] = [{ sinceMs: 0, price: MAINNET_LIKE.getEnergyFee }];
  readonly bandwidth: PricePoint[] = [{ sinceMs: 0, price: MAINNET_LIKE.getTransactionFee }];

  change(changed: Partial<ChainParameters>, sinceMs: number): void {
    this.now = { ...this.now, ...changed };
    const { getEnergyFee, getTransactionFee } = changed;
    if (getEnergyFee !== undefined) this.energy.push({ sinceMs, price: getEnergyFee });
    if (getTransactionFee !== undefined) this.bandwidth.push({ sinceMs, price: getTransactionFee });
  }
}

const MAINNET_LIKE: ChainParameters = {
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
  getUnfreezeDelayDays: 14n,
  getForbidTransferToContract: 0n,
  getAllowTvmCompatibleEvm: 1n,
  getAllowMultiSign: 1n,
  getAllowDynamicEnergy: 1n,
  getDynamicEnergyThreshold: 5_000_000_000n,
  getDynamicEnergyIncreaseFactor: 2_000n,
  getDynamicEnergyMaxFactor: 34_000n,
};
