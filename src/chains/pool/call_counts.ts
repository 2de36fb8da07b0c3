/** Calls that a node has answered since they were last taken. */
interface AnsweredCalls {
  readonly network: string;
  readonly host: string;
  readonly calls: number;
}

/** Of all networks. A connection that is replaced goes on counting here. */
export class CallCounts {
  readonly #networks = new Map<string, Map<string, number>>();

  add({ network, host, calls }: AnsweredCalls): void {
    const hosts = this.#networks.getOrInsertComputed(network, () => new Map());
    hosts.set(host, (hosts.get(host) ?? 0) + calls);
  }

  take(): AnsweredCalls[] {
    const taken = [...this.#networks].flatMap(([network, hosts]) =>
      Array.from(hosts, ([host, calls]) => ({ network, host, calls }))
    );
    this.#networks.clear();
    return taken;
  }
}
