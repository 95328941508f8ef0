import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { Link } from '../../ui/link.tsx'

/** Shown while the server detects tampering with the audit log. */
export function TamperingAlert() {
  const { t } = useTranslation('audit')
  const { data } = useRead('/admin/v1/audit/state')
  const problem = data?.first_bad
  if (!problem) return null
  const { sequence, through } = problem
  const place =
    sequence === 0
      ? t('tampering.keys')
      : through === undefined
        ? t('tampering.record', { sequence })
        : t('tampering.records', { sequence, through })
  return (
    <Alert role="alert" color="red" mb="md" icon={<IconAlertTriangle size={18} />} title={t('tampering.title')}>
      <Text size="sm">{t('tampering.problem', { place, message: problem.message })}</Text>
      {problem.id && (
        <Link to={`/audit/${problem.id}`} size="sm">
          {problem.id}
        </Link>
      )}
      <Text size="sm">
        <Trans ns="audit" i18nKey="tampering.resume" components={{ code: <code /> }} />
      </Text>
    </Alert>
  )
}
