import { Alert, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { changedMarks } from './changed-marks.ts'
import { HeldMessages } from './held-messages.tsx'
import { HeldParameters } from './held-parameters.tsx'
import type { HeldContent, Preview, ReviewItem } from './review-item.ts'

interface ReleasedProps {
  readonly item: ReviewItem
  readonly held: HeldContent
  readonly preview: Preview
}

/** A hold as its release lets it go, with the changes of the policies marked. */
export function Released({ item, held, preview }: ReleasedProps) {
  const { t } = useTranslation('reviews')
  const { released, refusal, transforms, directives, providers, searches } = preview
  if (!released) return <Refused refusal={refusal} />
  const marks = changedMarks(held, released)
  const added = searches.knowledge ? (searches.memory ? 'both' : 'knowledge') : searches.memory ? 'memory' : undefined
  return (
    <Stack gap="xs">
      <Text size="sm">
        {item.point === 'output'
          ? t('preview.toClient')
          : item.point === 'message'
            ? t('preview.toMembers')
            : t('preview.toProvider')}
      </Text>
      <Stack gap={0}>
        {marks.length === 0 && <Text size="sm">{t('preview.unchanged')}</Text>}
        {transforms.length > 0 && <Text size="sm">{t('preview.transforms', { names: transforms.join(', ') })}</Text>}
        {directives.length > 0 && <Text size="sm">{t('preview.directives', { names: directives.join(', ') })}</Text>}
        {providers.length > 0 && (
          <Text size="sm">{t('preview.providers', { count: providers.length, names: providers.join(', ') })}</Text>
        )}
        {added && <Text size="sm">{t(`preview.adds.${added}`)}</Text>}
      </Stack>
      <HeldMessages content={released} marks={marks} />
      <HeldParameters parameters={released.parameters} marks={marks} />
    </Stack>
  )
}

function Refused({ refusal }: Pick<Preview, 'refusal'>) {
  const { t } = useTranslation('reviews')
  return (
    <Alert color="red" title={t('preview.refused.title')}>
      {refusal && reasonOf(refusal)}
    </Alert>
  )

  function reasonOf({ code, reason, rules, failed }: NonNullable<Preview['refusal']>): string {
    if (reason === 'message_gone') return t('preview.refused.gone')
    if (failed.length > 0) return t('preview.refused.failed', { names: failed.join(', ') })
    if (code === 'NO_ELIGIBLE_PROVIDER') return t('preview.refused.provider')
    if (code === 'POLICY_DENIED') return t('preview.refused.policy', { rules: rules.join(', ') })
    return reason === 'policy_denies_now' ? t('preview.refused.denied') : t('preview.refused.other', { code })
  }
}
