import { Button, Code, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/copy.tsx'
import { Section } from '../../ui/section.tsx'

/** The record as JSON, which one rarely needs. */
export function RawRecord({ record }: { readonly record: object }) {
  const { t } = useTranslation('audit')
  const [opened, { toggle }] = useDisclosure()
  const json = JSON.stringify(record, null, 2)
  return (
    <Section
      title={t('record.raw.title')}
      actions={
        <Group gap="xs">
          <CopyButton value={json} label={t('record.raw.copy')} />
          <Button variant="default" size="xs" aria-expanded={opened} onClick={toggle}>
            {opened ? t('record.raw.hide') : t('record.raw.show')}
          </Button>
        </Group>
      }
    >
      {opened && (
        <Code block mah={320} tabIndex={0} style={{ overflow: 'auto' }}>
          {json}
        </Code>
      )}
    </Section>
  )
}
