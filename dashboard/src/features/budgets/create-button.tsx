import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { textOf, useFilters, useNavigateTo } from '../../routing/location.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { BudgetForm, createBody, useBudgetForm } from './budget-form.tsx'

const readTeam = ({ team }: Readonly<Record<string, unknown>>) => ({ team: textOf(team) })

/** Creates a budget and opens its page. `team` in the URL: a budget of this team. */
export function CreateButton() {
  const { t } = useTranslation('budgets')
  const [{ team }] = useFilters(readTeam)
  const form = useBudgetForm(undefined, team)
  const dialog = useFormDialog(form)
  const navigateTo = useNavigateTo()
  const create = useChange('post', '/admin/v1/budgets', {
    refresh: ['/admin/v1/budgets'],
    onDone: ({ id }) => {
      dialog.dismiss()
      navigateTo(`/budgets/${id}`)
    },
  })
  return (
    <FormDialog dialog={dialog} title={t('create.title')} fragment="#create" pending={create.isPending}>
      <BudgetForm
        form={form}
        isNew
        submit={t('create.submit')}
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: createBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}
