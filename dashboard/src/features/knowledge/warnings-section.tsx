import { List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/section.tsx'
import type { Document } from './document.ts'

/** Content of the file that was not read, was read by a guess or was left out. */
export function WarningsSection({ document: { warnings = [] } }: { readonly document: Pick<Document, 'warnings'> }) {
  const { t } = useTranslation('knowledge')
  return (
    <Section title={t('warnings.title')}>
      {warnings === null || warnings.length === 0 ? (
        <Text size="sm" c="dimmed">
          {warnings === null ? t('warnings.unknown') : t('warnings.none')}
        </Text>
      ) : (
        <List size="sm">
          {warnings.map(({ kind, place, detail, message, count }) => (
            <List.Item key={JSON.stringify([kind, place, detail])} style={{ overflowWrap: 'anywhere' }}>
              {[place && `${place}:`, message, detail && `(${detail})`, count > 1 && t('warnings.times', { number: count })]
                .filter(Boolean)
                .join(' ')}
            </List.Item>
          ))}
        </List>
      )}
    </Section>
  )
}
