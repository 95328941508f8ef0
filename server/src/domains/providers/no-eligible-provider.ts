import type { ErrorFields } from '../../errors.ts'
import type { ModelEntry } from './route.ts'

/** Maximum number of models that the error lists in its message and in its details. */
const MODELS_IN_MESSAGE = 10
const MODELS_IN_DETAILS = 50

/**
 * Fields of the error NO_ELIGIBLE_PROVIDER. `model` is empty if the request names no model and the Application has no default.
 * `allowed`: the models of the Application.
 */
export function noEligibleProvider(model: string, allowed: readonly ModelEntry[]): ErrorFields {
  const ids = allowed.map(({ id }) => id)
  const shown = ids.slice(0, MODELS_IN_MESSAGE).join(', ')
  const more = ids.length > MODELS_IN_MESSAGE ? ` and ${ids.length - MODELS_IN_MESSAGE} more` : ''
  const available = ids.length === 0 ? 'This Application may use no model.' : `This Application may use: ${shown}${more}.`
  const problem = model
    ? `No provider may serve the model ${JSON.stringify(model)} for this request.`
    : 'The request names no model and the Application has no default model.'
  return { param: 'model', message: `${problem} ${available}`, details: { models: ids.slice(0, MODELS_IN_DETAILS) } }
}
