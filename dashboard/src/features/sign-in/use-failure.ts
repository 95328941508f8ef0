import { useTranslation } from 'react-i18next'
import { oneOf } from '../../routing/location.ts'

/** Causes of a failed single sign-on that have their own text (docs/guides/single-sign-on.md). */
const CAUSES = [
  'no_role',
  'email_not_verified',
  'account_not_linked',
  'signup_disabled',
  'email_not_found',
  'access_denied',
  'oauth_provider_not_found',
] as const

/** The cause of a failed single sign-on and the next step, for the `error` in the page's URL. */
export function useFailure(error: string | undefined): string | undefined {
  const { t } = useTranslation('sign-in')
  if (error === undefined) return undefined
  const cause = oneOf(CAUSES, error)
  return cause ? t(`singleSignOn.failures.${cause}`) : t('singleSignOn.failed', { error: error.slice(0, 100) })
}
