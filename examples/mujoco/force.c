/* harp.force, a plug-in for MuJoCo: passive forces on any number of bodies. One harp program computes them for all bodies. In a model:
 *
 *     <extension>
 *       <plugin plugin="harp.force">
 *         <instance name="fluid">
 *           <config key="law" value="drag_lift.harp"/>          a graph that computes force and torque, see drag_lift.harp
 *           <config key="coefficients" value="1.2 2e-5 0.8 0.5"/> the law's parameters
 *           <config key="potential" value="potential.npy"/>     weights of a network whose gradient is a force, see train.py
 *           <config key="library" value="/usr/lib/libharp.so"/> optional; default: $HARP_LIBRARY or libharp.so.0
 *           <config key="backend" value="interp"/>              optional; default: "c" if there is a C compiler
 *         </instance>
 *       </plugin>
 *     </extension>
 *     <body> <plugin instance="fluid"/> ... </body>             each body that the instance acts on
 *
 * Errors are reported as warnings of MuJoCo (mju_warning); the simulation continues without the forces. */
#include "program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct force {
  struct force_program program;
  int works;
  double* wrench; /* [nbody, 6]: torque and force about the centre of mass of the body's tree */
};

static const char* config(const mjModel* m, int instance, const char* key) {
  const char* value = mj_getPluginConfig(m, instance, key);
  return value ? value : "";
}

static int init(const mjModel* m, mjData* d, int instance) {
  char error[2048] = "no memory";
  struct force* f = calloc(1, sizeof *f);
  d->plugin_data[instance] = (uintptr_t)f;
  if (!f) return -1;
  const struct force_options options = {config(m, instance, "library"), config(m, instance, "backend"), config(m, instance, "law"),
                                        config(m, instance, "potential"), config(m, instance, "coefficients")};
  f->wrench = malloc(6 * (size_t)m->nbody * sizeof(double));
  f->works = f->wrench && force_program_open(&f->program, m, &options, error, sizeof error) == 0;
  if (f->works)
    for (int body = 1; body < m->nbody; ++body) f->program.active[body] = m->body_plugin[body] == instance;
  else
    mju_warning("harp.force: %s; its forces are left out", error);
  return 0; /* success, even after an error: MuJoCo would otherwise end the process */
}

static void destroy(mjData* d, int instance) {
  struct force* f = (struct force*)d->plugin_data[instance];
  d->plugin_data[instance] = 0;
  if (!f) return;
  force_program_close(&f->program);
  free(f->wrench);
  free(f);
}

static int nstate(const mjModel* m, int instance) { return (void)m, (void)instance, 0; }
static void reset(const mjModel* m, mjtNum* state, void* data, int instance) { (void)m, (void)state, (void)data, (void)instance; }

/* The vector of one body: a column of an array [3, n], whose rows are x, y and z. */
struct vector {
  double x, y, z;
};
static struct vector column(const double* columns, int n, int body) {
  return columns ? (struct vector){columns[body], columns[n + body], columns[2 * n + body]} : (struct vector){0, 0, 0};
}

/* Adds to w the wrench of the forces on a body: torque and force about the centre of mass of the body's tree. */
static void add_wrench(const struct force_program* p, const mjModel* m, const mjData* d, int body, double* w) {
  const int n = (int)m->nbody;
  const struct vector f = column(p->force, n, body), g = column(p->potential_force, n, body), t = column(p->torque, n, body);
  const double *at = d->xipos + 3 * body, *about = d->subtree_com + 3 * m->body_rootid[body];
  const struct vector arm = {at[0] - about[0], at[1] - about[1], at[2] - about[2]}, sum = {f.x + g.x, f.y + g.y, f.z + g.z};
  w[0] += t.x + (arm.y * sum.z - arm.z * sum.y);
  w[1] += t.y + (arm.z * sum.x - arm.x * sum.z);
  w[2] += t.z + (arm.x * sum.y - arm.y * sum.x);
  w[3] += sum.x;
  w[4] += sum.y;
  w[5] += sum.z;
}

/* Computes the generalised forces of the wrenches, like mj_applyFT, but for all bodies at once. The wrench on a joint is the sum of
 * those on the bodies after it in the kinematic tree; its generalised forces are the products with the joint's axes (cdof). */
static void apply(const struct force* f, const mjModel* m, mjData* d) {
  const int n = (int)m->nbody, *parents = m->body_parentid;
  memset(f->wrench, 0, 6 * (size_t)n * sizeof(double));
  for (int body = n - 1; body > 0; --body) {
    double *w = f->wrench + 6 * body, *parent = f->wrench + 6 * parents[body];
    if (f->program.active[body]) add_wrench(&f->program, m, d, body, w);
    /* Parents have smaller indices than their children. The root of a tree has the world as parent. */
    if (parents[body])
      for (int k = 0; k < 6; ++k) parent[k] += w[k];
  }
  for (int dof = 0; dof < m->nv; ++dof) {
    const double *axis = d->cdof + 6 * dof, *w = f->wrench + 6 * m->dof_bodyid[dof];
    d->qfrc_passive[dof] += axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2] + axis[3] * w[3] + axis[4] * w[4] + axis[5] * w[5];
  }
}

static void compute(const mjModel* m, mjData* d, int instance, int capability) {
  (void)capability;
  struct force* f = (struct force*)d->plugin_data[instance];
  if (!f->works) return;
  char error[1024];
  if (force_program_run(&f->program, m, d, error, sizeof error)) {
    f->works = 0;
    mju_warning("harp.force: %s; its forces are left out", error);
    return;
  }
  apply(f, m, d);
}

mjPLUGIN_LIB_INIT(harp_force) {
  static const char* const attributes[] = {"library", "backend", "law", "potential", "coefficients"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "harp.force";
  plugin.nattribute = sizeof attributes / sizeof *attributes;
  plugin.attributes = attributes;
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = nstate;
  plugin.init = init;
  plugin.destroy = destroy;
  plugin.reset = reset;
  plugin.compute = compute;
  mjp_registerPlugin(&plugin);
}
