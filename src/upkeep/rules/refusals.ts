interface Alert {
  readonly id: number;
}

export const OPERATIONS = {
  alert_unknown: ({ id }: Alert) => `There is no alert ${id}`,
  alert_resolved: ({ id }: Alert) => `Alert ${id} is already resolved`,
  alert_stays: ({ id }: Alert) => `Alert ${id} stays open until signing is resumed`,
  seed_gone: () =>
    "The database has addresses, but the seed that they come from is gone: restore a backup",
  seed_in_use: () =>
    "Addresses were already derived from the current seed: import into a new database",
  recovery_phrase_wrong: () => "The recovery phrase has a wrong word or checksum",
  database_busy: () => "Too much is being written to the database: try again in a moment",
  served_by_older: () =>
    "Stop the other instances first: an older version is serving this database",
  master_key_unchanged: () => "No change of the master key is in progress",
  master_key_old: () =>
    "Set CPG_MASTER_KEY to the new key first: this program still has the old one",
  master_key_changing: () => "Another program is changing the master key",
  master_key_half_changed: () => "A change of the master key is in progress",
  master_key_not_taken: () => "A running instance has not switched to the new master key",
};
