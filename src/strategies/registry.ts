import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings.js';
import { FAMILIES, type StrategyMetadata, type StrategyListing } from '../contract/strategy.js';
import { InvalidRequest, UnknownStrategy } from '../errors.js';
import { Engines } from '../health/engines.js';
import { type BasketStrategy, type DeductStrategy, sellsBaskets, StrategyMark } from './strategy.js';
import { promisesOf } from './support/promises.js';
import { switchedOn } from './support/switched-on.js';

/** Every strategy by its name in the URL. A Map, so that no name can reach into an object's prototype. */
@Injectable()
export class StrategyRegistry implements OnModuleInit {
  private readonly strategies = new Map<string, { metadata: StrategyMetadata; strategy: DeductStrategy }>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly engines: Engines,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders({ metadataKey: StrategyMark.KEY })) {
      const metadata = this.discovery.getMetadataByDecorator(StrategyMark, wrapper);
      if (!metadata) continue;
      if (this.strategies.has(metadata.name)) throw new Error(`two strategies are called ${metadata.name}`);
      this.strategies.set(metadata.name, { metadata, strategy: wrapper.instance as DeductStrategy });
    }
    const on = switchedOn(
      [...this.strategies.values()].map(({ metadata }) => metadata),
      this.settings,
    );
    for (const name of this.strategies.keys()) if (!on.has(name)) this.strategies.delete(name);
  }

  get(name: string): DeductStrategy {
    const found = this.strategies.get(name);
    if (!found) throw new UnknownStrategy();
    return found.strategy;
  }

  getForBaskets(name: string): BasketStrategy {
    const strategy = this.get(name);
    if (!sellsBaskets(strategy)) {
      throw new InvalidRequest(
        `The strategy ${name} sells one kind of goods at a time: use POST /goods/:id/deduct/${name}.`,
      );
    }
    return strategy;
  }

  async list(): Promise<StrategyListing[]> {
    const up = await this.engines.settled();
    return [...this.strategies.values()]
      .map(({ metadata, strategy }) => ({
        ...metadata,
        promises: promisesOf(metadata),
        baskets: sellsBaskets(strategy),
        available: metadata.needs.every((engine) => up[engine]),
      }))
      .sort((a, b) => FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family) || a.lesson - b.lesson);
  }
}
