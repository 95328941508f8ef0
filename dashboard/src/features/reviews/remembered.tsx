import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Level } from '../../ui/level.tsx'
import type { Preview, ReviewItem } from './review-item.ts'

interface RememberedProps {
  readonly item: ReviewItem
  readonly preview: Preview
}

/** The memories that the release of a hold stores, or why it stores none. */
export function Remembered({ item, preview: { remembered } }: RememberedProps) {
  const { t } = useTranslation('reviews')
  const { memories, left_out, extracted, reason } = remembered
  if (extracted) return <Statement title={t('preview.memories.extracted')} text={t('preview.memories.extractedHint')} />
  return (
    <Stack gap="xs">
      {memories.length === 0 && (
        <Statement
          title={t('preview.memories.none')}
          text={reason ? t(`preview.memories.reasons.${reason}`) : left_out === 0 ? t('preview.memories.nothingAsked') : ''}
        />
      )}
      {memories.map((memory) => (
        <Paper key={memory.content} withBorder p="sm">
          <Text size="sm">{memory.content}</Text>
          <Group gap="xs" mt={4}>
            <Text size="xs" c="dimmed">
              {t(`preview.memories.scopes.${memory.scope}`)}
            </Text>
            <Level level={memory.classification} />
            {memory.mode === 'audit_only' && <Badge color="gray">{t('preview.memories.auditOnly')}</Badge>}
          </Group>
        </Paper>
      ))}
      {left_out > 0 && <Text size="sm">{t('preview.memories.leftOut', { count: left_out })}</Text>}
      {memories.length > 0 && item.point === 'input' && <Text size="sm">{t('preview.memories.later')}</Text>}
    </Stack>
  )
}

const Statement = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <div>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="sm">{text}</Text>
  </div>
)
