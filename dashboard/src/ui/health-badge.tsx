import { Badge } from '@mantine/core'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'

interface HealthBadgeProps {
  readonly enabled: boolean
  readonly health: {
    readonly circuit: string
    readonly used: boolean
    readonly problem: string | null
    readonly last_error?: { readonly kind: string; readonly fault: boolean } | null
  }
}

/** Label of a provider's last error, or of the outcome of an attempt. */
export const errorLabel = (kind: string): string =>
  i18next.t(`ui:health.errors.${kind}` as 'ui:health.errors.timeout', { defaultValue: kind })

const problemLabel = (problem: string): string =>
  i18next.t(`ui:health.problems.${problem}` as 'ui:health.problems.key_missing', { defaultValue: problem })

/** Badge with the health of a provider. */
export function HealthBadge({ enabled, health: { circuit, used, problem, last_error } }: HealthBadgeProps) {
  const { t } = useTranslation('ui')
  const fault = last_error?.fault ? errorLabel(last_error.kind) : undefined
  const failure = problem ? problemLabel(problem) : (fault ?? (circuit === 'open' ? t('health.unavailable') : undefined))
  if (!enabled) return <Badge color="gray">{t('health.disabled')}</Badge>
  if (failure) return <Badge color="red">{failure}</Badge>
  if (circuit === 'half_open') return <Badge color="yellow">{t('health.recovering')}</Badge>
  return used ? <Badge color="green">{t('health.healthy')}</Badge> : <Badge color="gray">{t('health.unused')}</Badge>
}
