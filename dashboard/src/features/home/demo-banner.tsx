import { Button, Group, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFlask } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'

const RemoveDemo = lazy(async () => ({ default: (await import('./remove-demo.tsx')).RemoveDemo }))

/** One line in the Workspace of the demo, for operators who can remove it. */
export function DemoBanner() {
  const { t } = useTranslation('home')
  const [opened, { open, close }] = useDisclosure()
  const enabled = useScopes().hasScopeInAll('workspaces:write')
  const { data } = useRead('/admin/v1/setup', {}, { enabled })
  if (!enabled || !data?.is_demo) return null
  return (
    <Paper component="section" withBorder px="md" py={6} aria-label={t('demo.title')}>
      <Group gap="xs" mih={30}>
        <IconFlask size={18} color="var(--mantine-color-dimmed)" aria-hidden />
        <Text size="sm">{t('demo.banner')}</Text>
        <Group ml="auto">
          <Button variant="subtle" size="compact-sm" onClick={open}>
            {t('demo.open')}
          </Button>
        </Group>
      </Group>
      {opened && (
        <Suspense>
          <RemoveDemo onClose={close} />
        </Suspense>
      )}
    </Paper>
  )
}
