import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'

interface FirstModel {
  /** Undefined: the Application has a default model, or no model. */
  readonly model: string | undefined
  /** Whether `model` was loaded, or could not be. A request that is sent before would name no model. */
  readonly isLoaded: boolean
}

/** The first model of an Application without a default model, whose requests have to name one. */
export function useFirstModel(applicationId: string | undefined): FirstModel {
  const applications = useAll('/admin/v1/applications')
  const application = applications.items?.find(({ id }) => id === applicationId)
  const needsModel = application?.default_model === null
  const enabled = useScopes().hasScope('providers:read') && needsModel
  const models = useAll('/admin/v1/models', {}, { enabled })
  const isLoaded = hasEnded(applications) && (!enabled || hasEnded(models))
  const first = application?.models?.find((name) => !name.includes('*')) ?? models.items?.[0]?.id
  return { model: needsModel ? first : undefined, isLoaded }
}

const hasEnded = ({ items, error }: { readonly items: unknown; readonly error: unknown }): boolean =>
  items !== undefined || error !== null
