import { familyOf } from "../chains/registry.ts";
import { isTestNetwork } from "../networks/rules/test_networks.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { RateReadingRow } from "./table.ts";
import { CATALOGUE } from "../networks/catalogue.ts";
import { type KnownSource, knownSource, readAsOf } from "./known.ts";

/** The feeds of the networks in use, as far as they are the real ones. */
export function presetSources(
  { networks }: Pick<Catalog, "networks">,
  readings: ReadonlyMap<string, RateReadingRow>,
): KnownSource[] {
  return networks.filter(({ isActive }) => isActive)
    .flatMap((network) => {
      const { code, family, chainId } = network;
      const isTest = isTestNetwork(network);
      const preset = CATALOGUE.find((it) => it.family === family && it.chainId === chainId);
      return (preset?.feeds ?? []).map(({ base, address, maxAgeMs }) => {
        const feed = familyOf(family).canonicalAddress(address);
        const place = { id: null, kind: "chainlink", network: code, feed } as const;
        const reading = readings.get(readAsOf(place) ?? "");
        const spec = { ...place, base, quote: "USD", url: null, pointer: null, maxAgeMs };
        return knownSource({ ...spec, isPreset: true }, { reading, manual: null, isTest });
      });
    });
}
