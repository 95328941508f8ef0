import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  const { t } = useTranslation('webhooks')
  return <Badge color={enabled ? 'green' : 'gray'}>{enabled ? t('enabled') : t('disabled')}</Badge>
}
