import { Group, Paper, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import type { ExplainedHit as Hit } from '../../api/schema.d.ts'
import { Classification } from '../../ui/classification.tsx'
import { Link } from '../../ui/link.tsx'
import { CheckList } from './check-list.tsx'

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
      <CheckList checks={checks} />
    </Paper>
  )
}
