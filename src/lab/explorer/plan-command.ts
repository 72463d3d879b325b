import { type ExplorationPlan } from './real-system.js';

/** The command for the same exploration, without options that have their default value. */
export function commandOf(plan: ExplorationPlan): string {
  const { strategy, buyers, instances, stock, faults, allCommands, keys = false } = plan;
  const options = [
    ...(buyers === 2 ? [] : [`--buyers ${buyers}`]),
    ...(instances === buyers ? [] : [`--instances ${instances}`]),
    ...(stock === 1 ? [] : [`--stock ${stock}`]),
    ...(faults === 'none' ? [] : [`--faults ${faults}`]),
    ...(keys ? ['--keys'] : []),
    ...(allCommands ? ['--all-commands'] : []),
  ];
  return ['npx lockstock explore', strategy.name, ...options].join(' ');
}
