import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { NO_APPLICATION } from './usage-sums.ts'

export const DIMENSIONS = ['application', 'provider', 'model', 'user', 'key'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** A value of a dimension as the API has it: Applications by their id, an empty text for none. */
export const fromUuidOrText = (dimension: Dimension, value: string): string =>
  dimension !== 'application' ? value : value === NO_APPLICATION ? '' : toId('app', value)

export const toUuidOrText = (dimension: Dimension, value: string): string =>
  dimension !== 'application' ? value : value === '' ? NO_APPLICATION : uuidOf('app', value)
