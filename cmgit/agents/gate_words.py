"""Words that name no code: what is said in every session whatever the repository is. Data for `cmgit.agents.gate`."""

from __future__ import annotations

# Talk.
CHAT = frozenset(
    """
    a about above actually afternoon again ahead all alright also am amazing an and another answer any anyway approve
    approved are as ask at awesome back bad be because been before best better big bit both bottom brief briefly
    brilliant but by bye can can't cancel cannot careful cheers choose close come commands concise context continue
    cool correct could damn detail details did didn't different do does doesn't doing don't done down dr easy else
    end enough evening everything exactly excellent explain explanation fantastic far few final finally fine finish
    finished first follow for from full fun get give go goes going good got great had haha hang happy has have he
    hell hello help her here hey hi him his hm hmm hold how i i'd i'll i'm i've if ignore in instead instructions
    interesting into is isn't it it's its job just keep kind know language last later latest least left less let
    let's lets lgtm like line lines list lol long longer look looking looks lot love many matter maybe me mean
    message messages mind minute mistake mode moment more morning most move much my need neither never nevermind next
    nice night no nope nor not nothing now number numbers of off oh ok okay old on one ones only option options or
    order original other our out over own paragraph part perfect personally plan please plus point possible possibly
    practice prefer pretty previous prior probably problem problems proceed program put question questions quick
    quickly quite rather read ready really reason remember repeat reply retry rewrite right said same say says script
    sec second see seems sentence shall she short shorter should shouldn't show simple simpler since skip slow small
    so some someone something somewhere soon sorry sounds start started step steps still stop stuff such suggest
    suggestion suggestions summarise summarize summary super sure system take talk talking task tasks tell text than
    thank thanks that that's the their them then there there's these they thing things think this those though three
    through thx time tl to today together tomorrow tonight too totally true try two ty understand understood until up
    us use using verify version very wait want was wasn't way we we'll we're week weekend well were what what's
    whatever when where whether which while who whole why will with without won't wonderful word words work worked
    working works worry would wow wrap write wrong yeah yep yes yet you you'll you're your yours yup
    """.split()  # noqa: SIM905
)
# Git, builds, plain steering.
ERRANDS = frozenset(
    """
    add added against always amend apply approach bisect branch branches broke bug build builds bump change changed
    changelog changes check checkout cherry ci clean cleanup clone code codebase commit commit's commits committed
    compile conflict conflicts create current default delete dependencies dependency deploy deps describe diff diffs
    docs documentation double edit edits emoji emojis error errors eslint everything fail failed failing fails
    feature file files fix fixed fixes fixup folder force format formatter formatting git github gitlab green harder
    head history implement install installed issue issues license lint linter linting log logs main make master merge
    merged minor modify myself new node note npm open origin output package packages pass passes passing patch pick
    pipeline pnpm pr prettier project prs pull push pushed readme rebase rebased recent red refactor reformat release
    remote remove rename repo repository rerun reset restart restore revert review reviewed rollback root run running
    runs save script scripts self server session ship sign spelling squash stage staged stash status stylistic submit
    suite sync tag tags tdd terminal test tested testing tests tidy todo tool tools trailing tree typo typos
    ultrathink undo unstage update updated upgrade upstream whitespace workspace yarn yourself
    """.split()  # noqa: SIM905
)
# The same in Russian, French, Spanish, German, Portuguese.
ELSEWHERE = frozenset(
    """
    adelante alle arrête aus bem bien bitte bon bonjour c'est commence continua continue continuez continúa d'accord
    danke das der des die ein eine ejecuta el encore es eso et faire fais favor fertig führe genau gracias gut hallo
    haz hazlo hola il ja je jetzt la lance las le les los mach mal merci muy nein no noch nochmal non não o obrigada
    obrigado oder otra ou oui parfait passt perfecto plaît por pour pruebas relance s'il salut schön sehr si sigue
    siguiente sim starte suivant super sí te tests todo très tu tudo un una und une unos va vale vez vous weiter y ça
    а без бы был была были быть в вам вас ваш вдруг ведь верно ветка ветку все всё вы где готово да давай даже дальше
    делай для до ей ему если есть еще ещё её же за зависимости задание задача задачу закоммитить закоммить запусти
    запустить запушить запушь здесь здорово и из изменений изменения или им исправь итог их к как какая какие какой
    класс когда код кода коммит коммита кратко круто ли линтер лучше мне мной можешь можно мой молодец мы мёрж на
    наверное надо нам напиши нас не неплохо нет ни них но норм ну нужно о об обнови объясни один ок окей он она они
    оно опечатка опечатку опять от ответ ответь откати отлично отмени очень ошибка ошибки ошибку переделай переименуй
    пж пжл по погоди подожди подробно пожалуйста пока покажи понял понятно поправь после последние последний потом
    почему правильно привет про проверки проверь продолжай продолжи проект проекта просто пуш раз релиз репозиторий с
    сам сборка сборку свой сделай сделать себя сейчас сначала снова со собери согласен спасибо спс стоп супер так
    такой там тебе теперь тест тестов тесты то тогда того тоже только тот тут ты у удали уже файл файлы хорошо хочу
    чем что чтобы чуть шаг шаги эта эти это этот я
    """.split()  # noqa: SIM905
)
ALL = CHAT | ERRANDS | ELSEWHERE
