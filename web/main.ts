import { audit, type Goods, listGoods, listStrategies, oneGoods, startRun } from './api.js';
import { auditReport, Card, saleReport } from './card.js';
import { element, find, sorry } from './dom.js';
import { Sale } from './sale.js';

const TOKEN_KEY = 'lockstock.admin-token';
const goodsChoice = find('goods', HTMLSelectElement);
const buyers = find('buyers', HTMLInputElement);
const token = find('token', HTMLInputElement);
const stock = find('stock', HTMLInputElement);
const begin = find('begin', HTMLButtonElement);
const notice = find('notice', HTMLElement);

const catalogue = new Map<number, Goods>();
const cards: Card[] = [];
let selling = false;

async function load(): Promise<void> {
  notice.replaceChildren();
  try {
    const [goods, strategies] = await Promise.all([listGoods(), listStrategies()]);
    for (const one of goods) {
      catalogue.set(one.id, one);
      goodsChoice.add(new Option(one.name, String(one.id)));
    }
    cards.push(...strategies.map((strategy) => new Card(strategy)));
    for (const card of cards) card.button.addEventListener('click', () => void press(card));
    find('strategies', HTMLElement).replaceChildren(...families());
    showGoods();
    labelButtons();
  } catch (error) {
    const again = element('button', '', 'Try again');
    again.addEventListener('click', () => void load());
    notice.replaceChildren(sorry(error, again));
  }
}

/** The server lists strategies family by family, in the order in which they are best read. */
function families(): HTMLElement[] {
  return [...new Set(cards.map(({ strategy }) => strategy.family))].map((family) => {
    const members = cards.filter(({ strategy }) => strategy.family === family).map(({ root }) => root);
    return element(
      'section',
      '',
      element('h2', '', family.replace('-', ' ')),
      element('div', 'cards', ...members),
    );
  });
}

const chosenGoods = () => catalogue.get(Number(goodsChoice.value));

function showGoods(): void {
  const goods = chosenGoods();
  if (!goods) return;
  find('picture', HTMLImageElement).src = goods.picture;
  find('name', HTMLElement).textContent = goods.name;
  find('price', HTMLElement).textContent = `Price ${goods.price.toFixed(2)}`;
  find('remaining', HTMLElement).textContent = `${goods.inventory} of ${goods.supply} remaining`;
  find('chosen', HTMLElement).hidden = false;
}

async function refresh(goodsId: number): Promise<void> {
  catalogue.set(goodsId, await oneGoods(goodsId));
  showGoods();
}

function labelButtons(): void {
  begin.textContent = `New run (stock ${stock.value})`;
  begin.ariaDisabled = String(selling);
  for (const card of cards) card.label(buyers.value, selling);
}

async function press({ strategy, progress, result }: Card): Promise<void> {
  const goods = chosenGoods();
  // One sale at a time: two at once would share a run, and neither verdict would be its own.
  if (selling || !goods || !buyers.reportValidity()) return;
  selling = true;
  labelButtons();
  notice.replaceChildren();
  result.replaceChildren();
  progress.max = buyers.valueAsNumber;
  progress.value = 0;
  progress.hidden = false;
  try {
    const before = await audit(goods.id);
    const sale = new Sale();
    await sale.run(goods.id, strategy.name, progress.max, () => (progress.value += 1));
    result.append(...saleReport(sale));
    result.append(...auditReport(goods.name, before, await audit(goods.id)));
    await refresh(goods.id);
  } catch (error) {
    result.append(sorry(error));
  } finally {
    progress.hidden = true;
    selling = false;
    labelButtons();
  }
}

async function newRun(): Promise<void> {
  const goods = chosenGoods();
  // A sale that straddled two runs would be judged by neither.
  if (selling || !goods) return;
  try {
    await startRun(goods.id, stock.valueAsNumber, token.value);
    notice.replaceChildren(`A new run of ${goods.name} has begun.`);
    await refresh(goods.id);
  } catch (error) {
    notice.replaceChildren(sorry(error));
  }
}

/** A link may carry the token, /#token=…: it is kept for this tab, and leaves the address bar and the history at once. */
function takeToken(): void {
  const linked = new URLSearchParams(location.hash.slice(1)).get('token');
  if (linked !== null) {
    sessionStorage.setItem(TOKEN_KEY, linked);
    history.replaceState(null, '', location.pathname);
  }
  token.value = sessionStorage.getItem(TOKEN_KEY) ?? '';
}

goodsChoice.addEventListener('change', showGoods);
buyers.addEventListener('input', labelButtons);
stock.addEventListener('input', labelButtons);
token.addEventListener('input', () => {
  sessionStorage.setItem(TOKEN_KEY, token.value);
});
find('new-run', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  void newRun();
});
window.addEventListener('hashchange', takeToken);
takeToken();
void load();
