import { Paper, Select, Stack, Switch, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { changeParameters } from './chat-store.ts'
import { ModelsField } from './models-field.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import type { Parameters } from './parameters.ts'
import classes from './playground.module.css'
import type { PlaygroundFilters } from './playground-filters.ts'
import { UserFields } from './user-fields.tsx'

interface SettingsPanelProps {
  readonly workspace: string | undefined
  readonly filters: PlaygroundFilters
  readonly parameters: Parameters
  readonly onChange: (changes: Partial<PlaygroundFilters>) => void
}

/** Options of the next message: Application, models, user and parameters. */
export function SettingsPanel({ workspace, filters, parameters, onChange }: SettingsPanelProps) {
  const { t } = useTranslation('playground')
  const { choices } = useApplicationNames()
  const { hasScope } = useScopes()
  const { application, dry, stream } = filters
  return (
    <Paper component="section" aria-label={t('panels.settings')} withBorder p="md" className={classes.side ?? ''}>
      <Stack gap="sm">
        <Select
          label={t('settings.application')}
          placeholder={t('settings.choose')}
          searchable
          limit={100}
          allowDeselect={false}
          data={choices}
          value={application ?? null}
          onChange={(value) => onChange({ application: value ?? undefined })}
        />
        <ModelsField filters={filters} onChange={onChange} />
        <ParameterFields parameters={parameters} onChange={(changes) => changeParameters(workspace, application, changes)} />
        <Switch
          label={t('settings.dryRun')}
          description={t('settings.dryRunHint')}
          checked={dry === true}
          onChange={({ currentTarget }) => onChange({ dry: currentTarget.checked || undefined })}
        />
        <Switch
          label={t('settings.stream')}
          checked={stream === true}
          onChange={({ currentTarget }) => onChange({ stream: currentTarget.checked || undefined })}
        />
        <UserFields
          filters={filters}
          parameters={parameters}
          onChange={onChange}
          onParameters={(changes) => changeParameters(workspace, application, changes)}
        />
        {application !== undefined && !hasScope('memory:write') && <MemoryNote application={application} />}
      </Stack>
    </Paper>
  )
}

/** Explains that memories from the chat are not stored without the scope memory:write. */
function MemoryNote({ application }: { readonly application: string }) {
  const { t } = useTranslation('playground')
  const { data } = useRead('/admin/v1/applications/{id}', { params: { path: { id: application } } })
  const memory = data?.settings.memory
  if (!memory?.enabled || memory.capture === 'off') return null
  return (
    <Text size="sm" c="dimmed">
      {t('settings.noMemories')}
    </Text>
  )
}
