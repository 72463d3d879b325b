import { render } from 'preact';
import { App } from './app.js';
import { part } from './core/markup.js';
import { followAddress } from './core/route.js';
import { watchLab } from './client/system.js';
import { takeTokenFromAddress } from './client/token.js';

takeTokenFromAddress();
window.addEventListener('hashchange', takeTokenFromAddress);
followAddress();
watchLab();

const page = document.getElementById('page');
if (!page) throw new Error('index.html has no #page');
render(part(App, {}), page);
