import { Group, List, Paper, Text, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import type { ExplainedHit as Hit } from '../../api/schema.d.ts'
import { Classification } from '../../ui/classification.tsx'
import { Link } from '../../ui/link.tsx'

/** A hit with the checks that decide whether the user sees it. */
export function HitCard({ hit }: { readonly hit: Hit }) {
  const { t } = useTranslation('knowledge')
  const { document_id, collection_id, title, collection, headings, content, classification, similarity, checks } = hit
  return (
    <Paper component="article" withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" component="div">
          <Trans
            ns="knowledge"
            i18nKey="search.in"
            values={{ title, name: collection }}
            components={{
              document: (
                <Link to={`/knowledge/documents/${document_id}`} fw={500}>
                  {null}
                </Link>
              ),
              collection: <Link to={`/knowledge/${collection_id}`}>{null}</Link>,
            }}
          />
        </Text>
        <Group gap="xs">
          <Classification level={classification} />
          <Text size="xs" c="dimmed" title={t('search.similarity')}>
            {similarity.toFixed(2)}
          </Text>
        </Group>
      </Group>
      {headings.length > 0 && (
        <Text size="xs" c="dimmed">
          {headings.join(' › ')}
        </Text>
      )}
      <Text size="sm" my="xs" lineClamp={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {content}
      </Text>
      <List size="sm" lh={1.4} spacing={6} center listStyleType="none" withPadding={false}>
        {checks.map(({ passed, because }) => (
          <List.Item key={because} icon={<CheckIcon passed={passed} />}>
            <VisuallyHidden>{passed ? t('search.passed') : t('search.failed')}</VisuallyHidden>
            {because}
          </List.Item>
        ))}
      </List>
    </Paper>
  )
}

function CheckIcon({ passed }: { readonly passed: boolean }) {
  return (
    <ThemeIcon size={18} radius="xl" color={passed ? 'green' : 'red'} variant="light" aria-hidden>
      {passed ? <IconCheck size={12} /> : <IconX size={12} />}
    </ThemeIcon>
  )
}
