import { type Fields, isObject, isSet } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS } from '../../shared/original-request.ts'
import type { Price } from './price.ts'

/**
 * Fields with which a request chooses how it is served, and a response reports it, with the values that cost no more than the standard
 * price (`scale` is capacity that the account has paid in advance). Every other value (`priority`, `fast`) costs more, and no price list holds how much.
 */
const STANDARD: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ['service_tier', new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch', 'scale'])],
  ['speed', new Set(['standard'])],
  ['inference_geo', new Set(['global', 'not_available'])],
])

export type Tier = 'standard' | 'pricier'

function tierOf(fields: Fields): Tier | undefined {
  let tier: Tier | undefined
  for (const [name, values] of STANDARD) {
    if (!isSet(fields[name])) continue
    if (!values.has(fields[name])) return 'pricier'
    tier = 'standard'
  }
  return tier
}

export const requestedTier = (parameters: Fields): Tier =>
  [parameters, parameters.extra_body, ...carriedOf(parameters)].some((fields) => isObject(fields) && tierOf(fields) === 'pricier')
    ? 'pricier'
    : 'standard'

const carriedOf = ({ [CARRIED_FIELDS]: carried }: Fields): readonly unknown[] => (Array.isArray(carried) ? carried : [])

/** Whether the price of a response is known. An operator's price is that of the tier that the account uses by itself. */
export function isTierPriced(response: object, { version }: Pick<Price, 'version'>, requested: Tier): boolean {
  const reported = [response, 'usage' in response ? response.usage : undefined].map((one) =>
    isObject(one) ? tierOf(one) : undefined,
  )
  const served = reported.includes('pricier') ? 'pricier' : reported.includes('standard') ? 'standard' : requested
  return served === 'standard' || (requested === 'standard' && version === 'operator')
}
