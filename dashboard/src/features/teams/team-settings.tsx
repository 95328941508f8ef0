import { Button, Fieldset, Group, Stack, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { restrictionBody, restrictionValues } from '../../ui/restriction.ts'
import { Section } from '../../ui/section.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { RestrictionFields } from '../../views/restriction-fields.tsx'
import type { Team } from './teams-page.tsx'

const valuesOf = (team: Team) => ({ name: team.name, ...restrictionValues(team), members: [...(team.members ?? [])] })

const bodyOf = (values: ReturnType<typeof valuesOf>) => ({
  name: values.name.trim(),
  ...restrictionBody(values),
  members: values.members.length === 0 ? null : values.members,
})

/** Name, limits, models and members of a team. Read-only without the scope applications:write. */
export function TeamSettings({ team }: { readonly team: Team }) {
  const { t } = useTranslation('teams')
  const { id } = team
  const canEdit = useScopes().hasScope('applications:write')
  const form = useForm({ initialValues: valuesOf(team) })
  useFormSync(form, valuesOf(team))
  const update = useChange('patch', '/admin/v1/teams/{id}', {
    refresh: ['/admin/v1/teams', '/admin/v1/teams/{id}'],
    onDone: () => notifySuccess(t('settings.saved')),
  })
  return (
    <Section title={t('settings.title')}>
      <form
        onSubmit={form.onSubmit((values) =>
          update.mutate(
            { params: { path: { id } }, body: changedFields(bodyOf(values), bodyOf(form.getInitialValues()), ['limits']) },
            { onSuccess: () => form.resetDirty(values), onError: showFormError(form) },
          ),
        )}
      >
        <Fieldset variant="unstyled" mx={0} disabled={!canEdit} aria-label={t('settings.title')}>
          <Stack>
            <TextInput label={t('settings.name')} required {...form.getInputProps('name')} />
            <RestrictionFields form={form} />
            {/* Only operators who may read users see members. */}
            {team.members !== undefined && (
              <TagsInput
                label={t('settings.members')}
                description={t('settings.membersHint')}
                {...form.getInputProps('members')}
              />
            )}
            {canEdit && (
              <Group justify="flex-end">
                <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
                  {t('settings.save')}
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      </form>
    </Section>
  )
}
