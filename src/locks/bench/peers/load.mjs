// Imports a package of the folder that this file has been copied to.
/** @param {string} name @returns {Promise<unknown>} */
export const load = (name) => import(name);
